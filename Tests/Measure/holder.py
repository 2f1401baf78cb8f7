"""A process that holds files while something is locked."""
import multiprocessing
import os

# The children must be copies of this process: they share no more than the pipe.
fork = multiprocessing.get_context("fork")


class Holder:
    """Answers questions until it is closed. `body` gives the answers, as functions by name.

    It is a process of its own because what is measured must be held by nobody when it has ended.
    """

    def __init__(self, body, *arguments):
        self.pipe, theirs = fork.Pipe()
        self.process = fork.Process(target=run, args=(self.pipe, theirs, body, *arguments))
        self.process.start()
        theirs.close()
        self.receive()  # it is ready

    def ask(self, question):
        self.pipe.send(question)
        return self.receive()

    def receive(self):
        if not self.pipe.poll(60):
            raise RuntimeError("the process that holds the files hangs")
        answer = self.pipe.recv()
        if isinstance(answer, Exception):
            raise answer
        return answer

    def close(self):
        self.pipe.close()
        self.process.join(20)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def run(other_end, pipe, body, *arguments):
    """In the child: prepares, then answers questions until the other end is closed."""
    other_end.close()  # the copy in this process would keep it open
    try:
        answers = body(*arguments)
        pipe.send("ready")
    except Exception as problem:
        pipe.send(problem)
        return
    while True:
        try:
            question = pipe.recv()
        except EOFError:
            break
        try:
            pipe.send(answers[question]())
        except Exception as problem:
            pipe.send(problem)
    answers["end"]()
    os._exit(0)  # without Python's own end, which would touch the mapping again
