"""What is computed: one subject a file, each computation a pure function.

`computation(model, request, job) -> result` takes the open `Model`, the question as its frozen
dataclass, and the `Job` whose `step` it calls between pieces of at most 0.1 s: layers, heads, parts
of the vocabulary. It raises `Refused`, with one sentence, where a question cannot be answered: a
head, layer, position, token or offset that does not exist, a prompt that cannot be run, fields that
do not go together. Arguments of these names mean the same in every helper; `head` is the head in
question, `weights` its folded weights and `forward_pass` the prompt's run.
"""

from collections.abc import Callable
from typing import Any

from engine.circuits.attention import attention
from engine.circuits.composition import composition
from engine.circuits.destination_row import destination_row
from engine.circuits.direct_path import direct_path
from engine.circuits.direction import direction
from engine.circuits.eigenvalues import eigenvalues
from engine.circuits.head_output import head_output
from engine.circuits.head_scores import head_scores
from engine.circuits.load_model import load_model
from engine.circuits.logit_attribution import logit_attribution
from engine.circuits.logit_lens import logit_lens
from engine.circuits.ov_tokens import ov_tokens
from engine.circuits.position_qk import position_qk
from engine.circuits.qk_offsets import qk_offsets
from engine.circuits.qk_tokens import qk_tokens
from engine.circuits.receipts import receipts
from engine.circuits.run_prompt import run_prompt
from engine.circuits.skip_trigrams import skip_trigrams
from engine.circuits.spectrum import spectrum
from engine.circuits.table import table
from engine.circuits.thumbnails import thumbnails
from engine.circuits.virtual_head import virtual_head
from engine.circuits.vocabulary import vocabulary
from engine.circuits.workings import workings

COMPUTATIONS: dict[type, Callable[..., Any]] = {
    computation.__annotations__["request"]: computation
    for computation in (
        load_model,
        vocabulary,
        run_prompt,
        attention,
        thumbnails,
        ov_tokens,
        qk_tokens,
        spectrum,
        direction,
        table,
        direct_path,
        head_output,
        logit_attribution,
        virtual_head,
        composition,
        eigenvalues,
        destination_row,
        logit_lens,
        head_scores,
        skip_trigrams,
        qk_offsets,
        position_qk,
        workings,
        receipts,
    )
}
"""Every computation by the one kind of request that it takes, which its signature names."""
