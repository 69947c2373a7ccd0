"""Part two: what a cell gives out, and code that plays with its own surroundings."""

from __future__ import annotations

from genotex.agents import CellStatus, Session
from tests.agents.sandbox.conformance import MIB, PATIENT, Opened, OpenSession, printed, run


class GivesOut(Opened):
    """Text, pictures, errors: whole, in order, and cut at the limits."""

    def test_what_is_printed_and_shown_keeps_its_order(self, session: Session) -> None:
        result = run(
            session,
            """
            import sys
            print("one"); print("two", file=sys.stderr)
            display("three"); print("four")
            "five"
            """,
        )
        kinds = [(output.kind, output.text.strip()) for output in result.outputs]
        assert kinds == [
            ("stdout", "one"),
            ("stderr", "two"),
            ("display", "'three'"),
            ("stdout", "four"),
            ("result", "'five'"),
        ]

    def test_pictures_and_pages_are_kept_in_all_their_forms(self, session: Session) -> None:
        result = run(
            session,
            """
            from IPython.display import HTML, Image, display
            display(HTML("<b>bold</b>"), Image(data=b"\\x89PNG\\r\\n\\x1a\\n", format="png"))
            """,
        )
        page, picture = result.outputs
        assert page.forms["text/html"] == "<b>bold</b>"
        assert picture.forms["image/png"].strip() == "iVBORw0KGgo="

    def test_figure_is_shown_inline(self, session: Session) -> None:
        result = run(session, "import matplotlib.pyplot as plt\nn = plt.plot([1, 2])")
        assert [o.kind for o in result.outputs] == ["display"]
        assert result.outputs[0].forms["image/png"].startswith("iVBORw0KGgo")

    def test_too_large_a_picture_leaves_its_plain_form(self, session: Session) -> None:
        size = PATIENT.display_bytes + 1
        result = run(session, f"from IPython.display import HTML; HTML('x' * {size})")
        assert result.status == "ok"
        assert "text/html" not in result.outputs[0].forms
        assert "IPython.core.display.HTML" in result.text
        assert f"[{size:,} characters of a picture, page or table left out]" in result.text

    def test_endless_display_is_not_taken(self, session: Session) -> None:
        result = run(session, f"from IPython.display import HTML; HTML('x' * {100 * MIB})")
        assert result.status == "ok"
        assert f"[{100 * MIB:,} characters" in result.text
        assert sum(len(output.text) for output in result.outputs) < 20_000
        assert printed(session, "1 + 1") == "2"

    def test_long_output_is_cut_in_the_middle_and_says_so(self, session: Session) -> None:
        result = run(session, "for i in range(30_000): print(i)")
        lines = result.text.splitlines()
        assert (lines[0], lines[-1]) == ("0", "29999")
        assert "characters left out" in result.text
        # 0 to 9 take two characters each with their line ends, 10 to 99 three, and so on.
        whole = 10 * 2 + 90 * 3 + 900 * 4 + 9000 * 5 + 20_000 * 6
        assert result.left_out == whole - PATIENT.output_characters

    def test_very_long_line_is_cut(self, session: Session) -> None:
        result = run(session, "print('a' * 3_000_000 + 'z')")
        kept = "".join(o.text for o in result.outputs).replace("\n", "")
        assert kept.startswith("aaaa") and kept.endswith("z")
        assert result.left_out == 3_000_002 - PATIENT.output_characters

    def test_bytes_that_are_no_text_are_shown_as_such(self, session: Session) -> None:
        result = run(session, r"import sys; n = sys.stdout.buffer.write(b'caf\xe9 \xff\n')")
        assert result.text == "caf\ufffd \ufffd"

    def test_half_characters_and_terminal_commands_are_made_harmless(
        self, session: Session
    ) -> None:
        result = run(session, r"print('\x1b[2J', 'bell\a', '\ud800', 'line\rover')")
        assert result.text == "\\x1b[2J bell\\x07 ? line\nover"

    def test_output_of_programs_and_of_c_code_is_kept(self, session: Session) -> None:
        code = """
        import ctypes, os, subprocess
        subprocess.run(["echo", "program"])
        libc = ctypes.CDLL(None); n = libc.puts(b"from C"), libc.fflush(None)
        """
        assert printed(session, code).splitlines() == ["program", "from C"]

    def test_shell_escape_of_the_notebook_works(self, session: Session) -> None:
        assert printed(session, "!echo $((40 + 2))") == "42"

    def test_warnings_are_kept(self, session: Session) -> None:
        result = run(session, "import warnings; warnings.warn('careful', stacklevel=1)")
        assert [o.kind for o in result.outputs] == ["stderr"]
        assert "UserWarning: careful" in result.text

    def test_asking_for_input_is_an_error(self, session: Session) -> None:
        assert run(session, "input('name? ')").exception == "EOFError"
        assert run(session, "breakpoint()").status == "error"

    def test_exception_whose_text_cannot_be_had(self, session: Session) -> None:
        result = run(
            session,
            """
            class Odd(Exception):
                def __str__(self): raise SystemExit
                __repr__ = __str__
            raise Odd
            """,
        )
        assert (result.status, result.exception) == ("error", "Odd")
        assert "cannot be had" in (result.message or "")

    def test_exception_that_lies_about_its_class_and_says_too_much(self, session: Session) -> None:
        result = run(
            session,
            """
            class Long(BaseException):
                __class__ = int
                def __str__(self): return "x" * 10_000_000
            raise Long
            """,
        )
        assert (result.status, result.exception) == ("error", "Long")
        assert len(result.message or "") < 3000
        assert len(result.traceback) < 20_000

    def test_exit_is_an_error_and_the_session_goes_on(self, session: Session) -> None:
        for code in ("import sys; sys.exit(0)", "exit()", "quit()", "raise SystemExit"):
            result = run(session, code)
            assert (result.status, result.exception) == ("error", "SystemExit"), code
        assert printed(session, "1 + 1") == "2"

    def test_await_at_the_top_works(self, session: Session) -> None:
        assert printed(session, "import asyncio\nawait asyncio.sleep(0, 'done')") == "'done'"


class PlaysTricks(Opened):
    """Code that changes what the kernel itself is made of."""

    def test_replaced_printing_and_exit_do_not_reach_the_kernel(
        self, open_session: OpenSession
    ) -> None:
        session = open_session()
        code = """
        import builtins, json, os, socket, sys
        json.dumps = json.loads = os._exit = sys.exit = socket.socket.close = None
        builtins.print = lambda *a, **k: 1 / 0
        """
        assert run(session, code).status == "ok"
        result = run(session, "n = sys.stdout.write('still here')\nopen('missing')")
        assert (result.status, result.exception) == ("error", "FileNotFoundError")
        assert result.text.startswith("still here")

    def test_replaced_built_ins_cost_the_session_at_most(self, open_session: OpenSession) -> None:
        session = open_session()
        run(session, "kept = 1")
        result = run(session, "import builtins; builtins.len = builtins.isinstance = None")
        assert result.status in (CellStatus.OK, CellStatus.ERROR, CellStatus.DIED)
        session.restore(1)
        assert printed(session, "kept") == "1"

    def test_replaced_and_closed_output(self, open_session: OpenSession) -> None:
        session = open_session()
        run(session, "import sys; sys.stdout.close(); sys.stderr.close()")
        assert printed(session, "print('again')") == "again"
        run(session, "sys.stdout = None")
        assert run(session, "x = 1").status == "ok"

    def test_lowered_bounds_are_the_codes_own_affair(self, open_session: OpenSession) -> None:
        session = open_session()
        code = """
        import resource
        lower = 300 * 2**20
        resource.setrlimit(resource.RLIMIT_DATA, (lower, lower))
        """
        assert run(session, code).status == "ok"
        assert run(session, "bytearray(350 * 2**20)").status is CellStatus.OUT_OF_MEMORY
        assert printed(session, "1 + 1") == "2"

    def test_closing_every_open_file_ends_the_session(self, open_session: OpenSession) -> None:
        session = open_session()
        run(session, "x = 1")
        result = run(session, "import os; os.closerange(0, 1024)")
        assert (result.status, result.state_kept) == (CellStatus.DIED, False)
        assert printed(session, "x") == "1"

    def test_noise_on_the_channel_ends_the_session(self, open_session: OpenSession) -> None:
        session = open_session()
        code = """
        import os, stat
        for handle in range(3, 20):
            try:
                if stat.S_ISSOCK(os.fstat(handle).st_mode):
                    os.write(handle, b"\\0\\0\\0\\0\\x01{not json")
            except OSError:
                pass
        while True: pass
        """
        result = run(session, code)
        assert (result.status, result.state_kept) == (CellStatus.DIED, False)
        assert "channel" in result.explanation

    def test_forked_copy_of_the_kernel_answers_nothing(self, session: Session) -> None:
        result = run(
            session,
            """
            import os
            if (child := os.fork()):
                os.waitpid(child, 0); print("parent")
            else:
                print("child")
            """,
        )
        assert result.status == "ok"
        # Newer Pythons warn where other threads run.
        told = "".join(o.text for o in result.outputs if o.kind == "stdout")
        assert sorted(told.split()) == ["child", "parent"]
        assert printed(session, "1 + 1") == "2"

    def test_pool_of_processes_works(self, session: Session) -> None:
        run(session, "import multiprocessing\ndef square(x): return x * x")
        code = "with multiprocessing.Pool(2) as pool: print(pool.map(square, range(4)))"
        assert printed(session, code) == "[0, 1, 4, 9]"

    def test_tables_and_arrays_work(self, session: Session) -> None:
        code = """
        import numpy as np, polars as pl
        pl.DataFrame({"gene": ["A", "B"], "x": np.arange(2)}).write_csv("table.csv")
        print(open("table.csv").read())
        """
        assert printed(session, code) == "gene,x\nA,0\nB,1"

    def test_the_library_can_be_imported(self, session: Session) -> None:
        code = "from genotex.layout import trait_folder_name; trait_folder_name('Heart rate')"
        assert printed(session, code) == "'Heart_rate'"

    def test_temporary_files_work(self, session: Session) -> None:
        code = """
        import tempfile
        with tempfile.NamedTemporaryFile("w+") as file:
            n = file.write("text"); file.seek(0); print(file.read())
        """
        assert printed(session, code) == "text"
