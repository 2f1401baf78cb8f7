#!/bin/sh
# The discovery script of a custom compliance policy in Intune, for compliance.json. It runs as the
# user. Name the workspace here if the user has several: --workspace NAME.
mamctl compliance --intune 2>/dev/null || echo '{"MamdMounted":false}'
