import { sizeOfJson, type ValueLimit } from '../../http/body-limits.ts'
import { asProblem, problems } from '../../http/problem.ts'
import { parseJson } from '../parse-json.ts'
import { bytesToString } from './body-text.ts'

/** Media types of one JSON text after another. */
const SEQUENCE =
  /^(application\/(jsonl|x-jsonl|jsonlines|x-jsonlines|ndjson|x-ndjson|json-seq|json-lines)|text\/(jsonl|ndjson)|[\w.-]+\/[\w.-]+\+json-seq)$/

export function isSequenceType(mediaType: string): boolean {
  return SEQUENCE.test(mediaType)
}

/** The values of a sequence, one on each line or after each record separator (RFC 7464). Throws a 400 that names the item. */
export async function parseSequence(
  bytes: Uint8Array,
  limit: ValueLimit,
): Promise<readonly unknown[]> {
  const values: unknown[] = []
  // Many values are refused before the first line is parsed.
  const { left } = limit
  limit
    .copy()
    .count(
      sizeOfJson(bytesToString(bytes), { levels: Number.POSITIVE_INFINITY, values: left }).values,
    )
  for (const line of linesOf(bytes, limit)) {
    try {
      values.push(await parseJson(line, limit))
    } catch (error) {
      const problem = asProblem(error)
      if (problem.status !== 400) throw problem
      const location = `body[${values.length}]`
      throw problems.invalidInput(problem.errors.map(({ message }) => ({ location, message })))
    }
  }
  return values
}

const LINE_FEED = 0x0a
const RECORD_SEPARATOR = 0x1e
const WHITE_SPACE: ReadonlySet<number> = new Set([0x20, 0x09, 0x0d, LINE_FEED])

/** The parts between separators that are not empty. Where there are record separators, a line feed is part of a value. */
function linesOf(bytes: Uint8Array, limit: ValueLimit): readonly Uint8Array[] {
  const separator = bytes.includes(RECORD_SEPARATOR) ? RECORD_SEPARATOR : LINE_FEED
  const lines: Uint8Array[] = []
  let start = 0
  while (start < bytes.length) {
    const found = bytes.indexOf(separator, start)
    const end = found === -1 ? bytes.length : found
    const line = bytes.subarray(start, end)
    if (!line.every((byte) => WHITE_SPACE.has(byte))) {
      limit.count(1)
      lines.push(line)
    }
    start = end + 1
  }
  return lines
}
