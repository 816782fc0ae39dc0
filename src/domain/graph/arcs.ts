/** A directed graph over the numbers below `size`, packed so that 100,000 tasks stay cheap. */
export type Arcs = {
  readonly size: number;
  /** The targets of node `n` are `targets[offsets[n]]` up to `targets[offsets[n + 1]]`. */
  readonly offsets: Int32Array;
  readonly targets: Int32Array;
};

export type ArcList = { readonly from: number[]; readonly to: number[] };

export function packArcs(size: number, { from, to }: ArcList): Arcs {
  const offsets = new Int32Array(size + 1);
  for (const node of from) offsets[node + 1]! += 1;
  for (let node = 0; node < size; node += 1) offsets[node + 1]! += offsets[node]!;
  const next = offsets.slice();
  const targets = new Int32Array(to.length);
  for (let arc = 0; arc < to.length; arc += 1) {
    const node = from[arc]!;
    targets[next[node]!] = to[arc]!;
    next[node]! += 1;
  }
  return { size, offsets, targets };
}

/** Nodes in an order in which every arc points forward; nodes on or behind a cycle are left out. */
export function topological({ size, offsets, targets }: Arcs): Int32Array {
  const missing = new Int32Array(size);
  for (const target of targets) missing[target]! += 1;
  const sequence = new Int32Array(size);
  let length = 0;
  for (let node = 0; node < size; node += 1) {
    if (missing[node] === 0) sequence[length++] = node;
  }
  for (let at = 0; at < length; at += 1) {
    const node = sequence[at]!;
    for (let arc = offsets[node]!; arc < offsets[node + 1]!; arc += 1) {
      const target = targets[arc]!;
      missing[target]! -= 1;
      if (missing[target] === 0) sequence[length++] = target;
    }
  }
  return sequence.subarray(0, length);
}
