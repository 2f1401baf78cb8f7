#!/bin/sh
# A repository in the current directory, with a plan and most of what git does to files.
#
#   use_git.sh PLAN
set -e
git init -q repository
cd repository
cp "$1" plan.txt
git add plan.txt
git commit -qm "first $(head -1 plan.txt)"
echo 'third line' >>plan.txt
git commit -qam second
git checkout -qb other HEAD~1
echo more >more.txt
git add more.txt
git commit -qm other
git merge -q --no-edit master
git rebase -q master
git stash list
git gc -q --aggressive
git fsck --strict --full
git clone -q . ../clone
git archive --format=zip -o ../all.zip HEAD
