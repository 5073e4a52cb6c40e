"""Every token's vectors: W_E and W_U as circuits read them, a part of the vocabulary at a time.

W_U is centred over the vocabulary in every model with a norm, and only here: what all logits have
in common no softmax sees, and in a row of W_E W_V W_O W_U it hides which tokens are raised.
"""

from collections.abc import Iterator

import torch
from jaxtyping import Float
from torch import Tensor

from engine.job import Job
from engine.messages import CircuitName, Refused, Source
from engine.network.device import to_cpu_float32
from engine.network.folding import centred
from engine.network.network import Network

CHUNK = 2**20
"""Numbers of W_E or W_U read between two steps: at most some 20 milliseconds of work."""

MLP_WIDTH = 128
"""Width of an MLP that takes as long as reading what it is given."""


class TokenVectors:
    """What each token adds to the stream, and what the stream says of it, with the norms folded in.

    Parameters
    ----------
    name : str
        What the model is called in a refusal.
    network : Network
        Whose tokens.
    most_bytes : int
        What the tokens after the first MLP may take to be held.
    """

    def __init__(self, name: str, network: Network, most_bytes: int) -> None:
        self._name, self._network, self._most_bytes = name, network, most_bytes
        self._grams: dict[CircuitName, Tensor] = {}
        self._first_mlp: Tensor | None = None
        # W_U as rows, [d_vocab, d_model]: chunks of the vocabulary lie together in memory.
        self._rows_U: Tensor = network.bridge.unembed.W_U.T
        self._mean_U = self._mean_row() if network.normalized else None

    def close(self) -> None:
        """Hold neither weights nor what was made of them any more."""
        self._first_mlp = None
        self._rows_U = torch.empty(0, self._network.d_model)
        self._grams.clear()

    def embedded(self, ids: tuple[int, ...]) -> Float[Tensor, "position d_model"]:
        """Return the embeddings that enter the stream."""
        return self._embeddings(list(ids))

    def embedding(self, token: int) -> Float[Tensor, " d_model"]:
        """Return a token's embedding as a head of the first layer reads it, without a position."""
        return self._network.read(self.embedded((token,))[0])

    def after_first_mlp(
        self, streams: Float[Tensor, "rows d_model"]
    ) -> Float[Tensor, "rows d_model"]:
        """Return streams with what the first layer's MLP writes for them, its heads left out.

        Raises
        ------
        Refused
            If the model has no MLP.
        """
        if self._network.d_mlp == 0:
            raise Refused(
                f"{self._name} has no MLP, so there is no source token+mlp0: use token or position"
            )
        if self._network.mlp_is_parallel is None:
            raise Refused(
                f"what the first MLP of {self._name} makes of an embedding is not known: use "
                "source token or position"
            )
        return streams + self._network.mlp_output(0, streams)

    def unembedding(self, token: int) -> Float[Tensor, " d_model"]:
        """Return a token's column of the folded W_U."""
        return self._folded_rows_U([token])[0]

    def mean_unembedding(self) -> Float[Tensor, " d_model"]:
        """Return the mean column of the folded W_U over the vocabulary."""
        if self._mean_U is not None:
            return torch.zeros_like(self._mean_U)
        mean, gain = self._mean_row(), self._network.final_norm.gain
        return mean if gain is None else gain * mean

    def logit_biases(self, centre: bool = True) -> Float[Tensor, " d_vocab"]:
        """Return b_U with the final norm's bias, centred over the vocabulary where W_U is.

        Parameters
        ----------
        centre : bool
            False: the model's own, which a cap on logits sees.
        """
        biases: Tensor = self._network.logit_scale * to_cpu_float32(
            self._network.bridge.unembed.b_U
        )
        if (bias := self._network.final_norm.bias) is not None:
            biases = biases + torch.cat([self._rows(part) @ bias for part in self._parts(Job())])
        return biases - biases.mean() if centre and self._mean_U is not None else biases

    def read_by(
        self, vectors: Float[Tensor, "d_model n"], job: Job, source: Source = "token"
    ) -> Float[Tensor, "d_vocab n"]:
        """Return every token, as it is read, times some vectors: its embedding, or that and MLP 0.

        Raises
        ------
        Refused
            If the source is token+mlp0 and the model has no MLP.
        """
        return torch.cat([rows @ vectors for rows in self.tokens_read(job, source)])

    def tokens_read(
        self, job: Job, source: Source = "token"
    ) -> Iterator[Float[Tensor, "part d_model"]]:
        """Yield every token as it is read, a part of the vocabulary at a time.

        Raises
        ------
        Refused
            If the source is token+mlp0 and the model has no MLP.
        """
        if source == "token+mlp0":
            yield from self._after_first_mlp(job)
        else:
            for rows in self.embeddings(job):
                yield self._network.read(rows)

    def embeddings(self, job: Job, work: int = 1) -> Iterator[Float[Tensor, "part d_model"]]:
        """Yield the embeddings that enter the stream, a part of the vocabulary at a time.

        Parameters
        ----------
        job : Job
            Steps between parts.
        work : int
            How many times as long as reading them what is done with them takes.
        """
        for part in self._parts(job, work):
            yield self._embeddings(part)

    def logits(
        self, vectors: Float[Tensor, "d_model n"], job: Job, centre: bool = True
    ) -> Float[Tensor, "d_vocab n"]:
        """Return the folded W_U, as rows, times some vectors: what they add to the logits.

        Where a model caps its logits, before that.

        Parameters
        ----------
        vectors : Tensor
            What is in the stream, over the final norm's scale or not.
        job : Job
            Steps between parts of the vocabulary.
        centre : bool
            False: without what a softmax does not see taken off, as a cap on logits sees them.
        """
        gain = self._network.final_norm.gain
        vectors = centred(vectors.mT).mT if self._network.centring else vectors
        vectors = vectors if gain is None else gain[:, None] * vectors
        if self._mean_U is None or not centre:
            return torch.cat([self._rows(part) @ vectors for part in self._parts(job)])
        mean = self._mean_U @ vectors
        return torch.cat([self._rows(part) @ vectors - mean for part in self._parts(job)])

    def gram(self, circuit: CircuitName, job: Job) -> Float[Tensor, "d_model d_model"]:
        """Return W_U W_E for the OV circuit, or W_E^T W_E for QK; made once, summed in float64.

        A full circuit's eigenvalues are those of a d_head x d_head matrix through it.
        """
        if circuit not in self._grams:
            total = torch.zeros(self._network.d_model, self._network.d_model, dtype=torch.float64)
            for part in self._parts(job):
                read = self._network.read(self._embeddings(part))
                ends = self._folded_rows_U(part) if circuit == "ov" else read
                total += ends.mT @ read
            self._grams[circuit] = total
        return self._grams[circuit]

    def _after_first_mlp(self, job: Job) -> Iterator[Float[Tensor, "part d_model"]]:
        """Yield every token after the first MLP as it is read, which is the same for all heads.

        Held where it takes no more than patterns may: a second for every head that is looked at.
        """
        work, held = 1 + self._network.d_mlp // MLP_WIDTH, None
        d_vocab, d_model = self._network.d_vocab, self._network.d_model
        if 4 * d_vocab * d_model <= self._most_bytes and self._first_mlp is None:
            held = torch.empty(d_vocab, d_model)
        for part in self._parts(job, work):
            if self._first_mlp is not None:
                yield self._first_mlp[part]
                continue
            rows = self._network.read(self.after_first_mlp(self._embeddings(part)))
            if held is not None:
                held[part] = rows
            yield rows
        if held is not None:
            self._first_mlp = held

    def _embeddings(self, part: slice | list[int]) -> Float[Tensor, "part d_model"]:
        rows = self._network.embeddings(part)
        scale, norm = self._network.embed_scale, self._network.embed_norm
        if norm is not None:
            return norm.applied(rows, self._network.eps)
        return rows if scale == 1 else scale * rows

    def _rows(self, part: slice | list[int]) -> Float[Tensor, "part d_model"]:
        """Return rows of W_U as stored, one a token."""
        return to_cpu_float32(self._rows_U[part])

    def _mean_row(self) -> Float[Tensor, " d_model"]:
        parts = [self._rows(part).double().sum(0) for part in self._parts(Job())]
        return (torch.stack(parts).sum(0) / len(self._rows_U)).float()

    def _folded_rows_U(self, part: slice | list[int]) -> Float[Tensor, "part d_model"]:
        rows, gain = self._rows(part), self._network.final_norm.gain
        rows = rows if self._mean_U is None else rows - self._mean_U
        rows = rows if gain is None else gain * rows
        return centred(rows) if self._network.centring else rows

    def _parts(self, job: Job, work: int = 1) -> Iterator[slice]:
        rows = max(64, CHUNK // (self._network.d_model * work))
        for start in range(0, self._network.d_vocab, rows):
            job.step(start, self._network.d_vocab, "reading the vocabulary")
            yield slice(start, start + rows)
