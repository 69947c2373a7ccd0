"""The processes of a confined session: standard library only, relative imports only.

A session is a tree of three processes; a fork server, where there is one, is their parent::

    program that asks for the session (`sandbox.worker`, `sandbox.processes`)
    `-- fork server (optional): has imported the libraries; runs no generated code
        `-- supervisor: not confined; enforces the limits of the session, and ends it as a whole
            `-- init: confines itself (namespaces, root folder, Landlock, call filter), and waits
                `-- worker: IPython's shell, runs the generated code
                    `-- what the code starts

The supervisor reads commands, a word in each line, on its standard input, and ends the session when
that closes. The worker gets cells and sends what they print over a socket of its own. In a process
namespace the init process is number 1: it collects ended orphans, no process inside can end it, and
everything inside ends with it. Without a fork server the supervisor is a program of its own and the
worker another; they start as ``python`` with this folder as a package of its own, without
``genotex`` around it: hence the relative imports.
"""
