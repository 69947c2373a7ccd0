"""Designs and contrasts that try to run code, to take all time or memory, or to lose samples.

Each attempt states what must happen: the words of the refusal, or that the design is computed as a
harmless one. `tests.attacks.test_formulas` makes them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

SAMPLES = 60
TABLE = pl.DataFrame(
    {
        "group": [["A", "B", "C"][i % 3] for i in range(SAMPLES)],
        "sex": [["female", "male"][(i // 3) % 2] for i in range(SAMPLES)],
        "age": np.random.default_rng(3).normal(50, 9, SAMPLES),
        "many": [f"p{i // 2}" for i in range(SAMPLES)],
        "__import__": [["x", "y"][(i // 2) % 2] for i in range(SAMPLES)],
        "a`b": [float(i) for i in range(SAMPLES)],
        '__import__("os").system("touch PWNED")': [["u", "v"][i % 2] for i in range(SAMPLES)],
    }
)
"""Samples whose columns are themselves named to be mistaken for code."""


@dataclass(frozen=True)
class Attempt:
    """One design with a contrast, and the words of its refusal; None where it is computed."""

    design: str
    refused: str | None
    contrast: str = "group: B - A"


RUN = '__import__("os").system("touch PWNED")'
CODE = {
    "backticks hide a call": '~ group + {age*1 + 0*(2*"`"!=' + RUN + '!="`")}',
    "backticks in single quotes": "~ group + {age*1 + 0*(2*'`'!=" + RUN + "!='`')}",
    "a call between backticks and out again": "~ group + {`age` + " + RUN + " + `age`}",
    "a plain call": f"~ group + {{{RUN}}}",
    "a call as a term": f"~ group + {RUN}",
    "a call in a known function": f"~ group + log({RUN})",
    "a call in C": f"~ C({RUN})",
    "a call as a setting": f"~ group + bs(age, df={RUN})",
    "a call in a list": f"~ group + bs(age, knots=[{RUN}])",
    "a call in levels": f"~ C(group, levels=[{RUN}])",
    "a call in an offset": f"~ group + offset({RUN})",
    "eval": '~ group + eval("1")',
    "exec": '~ group + {exec("1")}',
    "compile": '~ group + {compile("1", "", "eval")}',
    "open": '~ group + {open("PWNED", "w")}',
    "getattr": '~ group + {getattr(age, "to_csv")("PWNED")}',
    "a method of a column": '~ group + {age.to_csv("PWNED")}',
    "a method of a quoted column": '~ group + {`age`.to_csv("PWNED")}',
    "a method of a function": "~ group + log.__class__.__base__.__subclasses__()",
    "numpy by name": '~ group + np.save("PWNED", age)',
    "numpy's loader": '~ group + {np.load("x", allow_pickle=True)}',
    "the library's context": "~ group + {_context}",
    "the library's state": "~ group + scale(age, _state={})",
    "the library's materializer": "~ group + {self}",
    "double underscore": "~ group + {age.__class__.__mro__}",
    "a lambda": "~ group + {(lambda: 1)()}",
    "a comprehension": "~ group + {[x for x in age]}",
    "an f-string": "~ group + f'{age}'",
    "a walrus": "~ group + {(x := age)}",
    "a conditional": "~ group + {1 if age else 2}",
    "a subscript": "~ group + {age[0]}",
    "a slice": "~ group + age[0:2]",
    "a dictionary": "~ group + {{'a': age}}",
    "a star": "~ group + {*age}",
    "keyword arguments": "~ group + bs(age, **{'df': 4})",
    "boolean operators": "~ group + {age and open}",
    "a string formatted": "~ group + {'%s' % age}",
    "a comment": "~ group # + age",
    "two statements": "~ group; import os",
    "a line break and a statement": "~ group\nimport os",
    "a null byte": "~ group\x00+ age",
    "a backslash": "~ group + {age\\\n}",
    "a bytes literal": "~ group + {b'x'}",
    "an imaginary number": "~ group + {1j * age}",
    "a hexadecimal number": "~ group + {0x10 * age}",
    "a number with underscores": "~ group + {1_0 * age}",
    "full-width letters": "~ group + {ｅｖａｌ('1')}",  # noqa: RUF001
    "R code": '~ group + system("touch PWNED")',
    "R's double colon": "~ group + splines::bs(age)",
    "R's assignment": "~ group + {x <- age}",
    "R's environment": "~ group + environment(age)",
    "lag of the library": "~ group + lag(age)",
    "hashed of the library": "~ group + hashed(group, levels=2)",
    "contrasts of the library": "~ C(group, contr.treatment('B'))",
    "multi-stage formulas": "~ group + [age ~ sex]",
    "multi-part formulas": "{age} | group",
    "random effects": "~ group + (1 | many)",
    "a wildcard": "~ .",
    "an outcome": f"{RUN} ~ group",
    "an outcome in quotes": "'x' ~ group",
}
"""Code in many forms: none is in the language."""
LARGE = {
    "a power of powers": ("~ group + {9**9**8}", "names no column"),
    "a power of powers times a column": ("~ group + {age*9**9**8}", "has no number"),
    "a power that overflows": ("~ group + {age**9**9}", "has no number"),
    "many crossings": ("~ (group + sex + age)**60", "the power 60 is above"),
    "a power of a thousand digits": ("~ group^" + "9" * 1000, "the power"),
    "nested powers": ("~ ((((group + sex + age)^6)^6)^6)^6", None),
    "seven factors crossed": (
        "~ group:sex:many:{age+1}:{age+2}:{age+3}:{age+4}",
        "an interaction of more than 6",
    ),
    "5,000 brackets": ("~ " + "(" * 5000 + "group" + ")" * 5000, "characters"),
    "1,000 brackets": ("~ " + "(" * 1000 + "group" + ")" * 1000, "levels deep"),
    "1,000 brackets in braces": ("~ {" + "(" * 1000 + "age" + ")" * 1000 + "}", "levels deep"),
    "1,000 calls": ("~ " + "log(" * 1000 + "age" + ")" * 1000, "levels deep"),
    "1,000 signs": ("~ {" + "-" * 1000 + "age}", "levels deep"),
    "1,000 powers": ("~ {age" + "**1" * 1000 + "}", "levels deep"),
    "1,000 open brackets": ("~ " + "(" * 1000, "levels deep"),
    "a long sum": ("~ group + {" + "age+" * 1500 + "age}", None),
    "a long crossing": ("~ " + "group*" * 1000 + "sex", None),
    "a long nesting": ("~ " + "group/" * 1000 + "sex", None),
    "too many terms": (
        "~ (" + "+".join(f"{{age+{i}}}" for i in range(99)) + ")^3",
        "more than 1,000 terms",
    ),
    "a megabyte": ("~ group + " + "a" * 1_000_000, "characters"),
    "a name of 7,000 characters": ("~ group + " + "a" * 7000, "not a column"),
    "a spline of a million columns": ("~ bs(age, df=1000000)", "a whole number from 1 to 100"),
    "a spline of many knots": (
        "~ bs(age, knots=[" + ",".join(["50"] * 500) + "])",
        "at most 100 numbers",
    ),
    "a spline of high degree": ("~ bs(age, df=50, degree=40)", "from 0 to 10"),
    "a polynomial of high degree": ("~ poly(age, 1000)", "from 1 to 20"),
    "more columns than values": ("~ many*bs(age, df=100)", "columns for 60 samples"),
    "a column for each sample": ("~ C(age)", "too few"),
    "an infinite number": ("~ group + {age*1e999}", "too large"),
    "a number of many digits": ("~ group + {age*" + "9" * 400 + "}", "too large"),
    "not a number": ("~ group + {0*log(-age)}", "has no number"),
    "division by zero": ("~ group + {age/(age-age)}", "has no number"),
}
QUIET = {
    "a level that is left out": ("~ C(group, levels=['A', 'B'])", "leaves out 'C'"),
    "one level": ("~ C(group, levels=['A'])", "leaves out 'B', 'C'"),
    "a level that is not there": ("~ C(group, levels=['A', 'B', 'C', 'D'])", "no level 'D'"),
    "a level twice": ("~ C(group, levels=['A', 'B', 'C', 'A'])", "names a level twice"),
    "a number for levels": ("~ C(group, 5)", "in the place of a list"),
    "levels of another type": ("~ C(group, levels=[True])", "a list of levels"),
    "an unknown setting": ("~ bs(age, df=4, weights=1)", "not weights"),
    "a setting twice": ("~ bs(age, 4, df=5)", "not df"),
    "groups as numbers": ("~ group + log(sex)", "has groups, where numbers are needed"),
    "a subtracted offset": ("~ group - offset(age)", "cannot be subtracted"),
    "nothing": ("~", "it ends where"),
    "nothing left": ("~ group - group - 1", "has no terms"),
    "a column named as code": ("~ group + `" + RUN + "`", None),
    "a column named as a function": ("~ group + `__import__`", None),
    "a column with a backtick": ("~ group + `a`b`", "cannot be read"),
}
CONTRASTS = {
    "a call": (f"group: {RUN} - A", "is no level of group"),
    "a call as a coefficient": (RUN, "is no term or coefficient"),
    "5,000 brackets": ("group: " + "(" * 2500 + "B" + ")" * 2500 + " - A", "levels deep"),
    "open brackets": ("group: " + "(" * 30, "its end is missing"),
    "a megabyte": ("group: " + "B + " * 300_000 + "A", "characters"),
    "an infinite weight": ("group: " + "9" * 400 + "*B - A", "cannot be read"),
    "a division by zero": ("group: B/0 - A", "cannot be read"),
    "a call behind the bar": (f"group: B - A | sex = {RUN}", "is no level of sex"),
    "a call as a factor": (f"{RUN}: B - A", "not a column"),
}
ATTEMPTS: dict[str, Attempt] = {
    **{f"code, {name}": Attempt(design, "") for name, design in CODE.items()},
    **{f"size, {name}": Attempt(*attempt) for name, attempt in LARGE.items()},
    **{f"silence, {name}": Attempt(*attempt) for name, attempt in QUIET.items()},
    **{
        f"contrast, {name}": Attempt("~ group + sex", words, contrast)
        for name, (contrast, words) in CONTRASTS.items()
    },
}
"""Name of an attempt -> what is tried; an empty text stands for any refusal."""
