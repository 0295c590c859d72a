// What the measurements of all documents come to.

/** The figures of one server over all documents. */
export function figuresOf(name, results) {
  const measured = results.map(({ servers }) => servers[name])
  const started = measured.filter((one) => one.started)
  const answers = started.flatMap((one) => one.answers)
  const optional = started.flatMap((one) => one.optional)
  const refusals = started.flatMap((one) => one.refusals)
  const kinds = results.flatMap(({ refusals: counts }) => Object.keys(counts))
  // A document that does not start answers nothing.
  const planned = (count) => results.reduce((sum, result) => sum + count(result), 0)

  return {
    name,
    documents: { ok: started.length, of: results.length },
    answers: { ok: right(answers), of: planned(({ requests }) => requests) },
    optional: { ok: right(optional), of: planned((result) => result.optional) },
    refusals: {
      ok: right(refusals),
      of: planned(({ refusals: counts }) => sum(Object.values(counts))),
    },
    kinds: Object.fromEntries(
      [...new Set(kinds)].map((kind) => [
        kind,
        {
          ok: right(refusals.filter((one) => one.kind === kind)),
          of: planned(({ refusals: counts }) => counts[kind]),
        },
      ]),
    ),
    start: spread(started.map(({ milliseconds }) => milliseconds)),
    memory: spread(started.flatMap(({ memory }) => memory ?? [])),
    answer: spread(answers.flatMap(({ milliseconds }) => milliseconds ?? [])),
  }
}

/** The commonest causes of faults, by kind: `{ kind, count, causes: [{ text, count, example }] }`. */
export function causesOf(exchanges, most = 3) {
  return [...groupBy(exchanges, ({ fault }) => fault.kind)]
    .map(([kind, list]) => ({
      kind,
      count: list.length,
      causes: [...groupBy(list, ({ fault }) => generic(fault.detail))]
        .map(([text, group]) => ({ text, count: group.length, example: group[0] }))
        .sort((one, two) => two.count - one.count)
        .slice(0, most),
    }))
    .sort((one, two) => two.count - one.count)
}

/** A detail without the names and numbers of one document. */
function generic(detail) {
  return detail
    .replace(/\{"code":"(\w+)","message":"/, '$1: ')
    .replace(/body(\/[^\s,]*)?/g, 'body')
    .replace(/'[^']*'|"[^"]*"/g, '…')
    .replace(/\/\S*|\b\w*[a-z][A-Z]\w*/g, '…')
    .replace(/\b(?![1-5]\d\d\b)\d[\d.]*\b/g, 'N')
    .slice(0, 80)
}

function groupBy(list, keyOf) {
  const groups = new Map()
  for (const entry of list) {
    const key = keyOf(entry)
    groups.set(key, [...(groups.get(key) ?? []), entry])
  }
  return groups
}

function right(exchanges) {
  return exchanges.filter(({ fault }) => !fault).length
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0)
}

/** The middle, the 99th percentile and the largest of a list of numbers. */
function spread(numbers) {
  const sorted = [...numbers].sort((one, two) => one - two)
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
  return { median: at(0.5), p99: at(0.99), worst: sorted.at(-1) }
}
