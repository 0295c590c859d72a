import type { Contract } from '../contract/contract.ts'
import { createSandbox } from '../sandbox/sandbox.ts'
import { shorten, sizeOf } from './facts/judge.ts'
import type { Probe } from './probes/probe.ts'
import type { Answer } from './service/answer.ts'
import { parseJson } from './service/json.ts'
import { Session } from './service/session.ts'
import { kindOf, type Shapes, shapesOf } from './shape-kinds.ts'
import { linkOf } from './subject.ts'

/** One thing of which the sandbox does not tell the truth. */
export interface Difference {
  /** The operation's id; method and path for a request that none is for. */
  readonly operation: string
  readonly what: 'status' | 'header' | 'body'
  /** The request, for a status; the header's name; the path in the body, as `[].price`. */
  readonly place: string
  /** The status of the answers with another header or body. */
  readonly status?: number
  readonly target: string
  readonly sandbox: string
}

const KEY = 'sk_twin'

/** Headers that tell of the transport and not of the API, and what the sandbox adds for its users. */
const IGNORED =
  /^(date|server|via|connection|keep-alive|transfer-encoding|content-length|content-encoding|vary|etag|age|alt-svc|x-powered-by|x-request-id|x-sandbox-.*|strict-transport-security|set-cookie|access-control-.*|cf-.*|nel|report-to)$/

/** The answers of both to the same requests. */
interface Pairs {
  readonly target: Answer[]
  readonly sandbox: Answer[]
}

/** A sandbox of the same document that is asked what the target is asked. */
export class Twin {
  readonly #session: Session
  readonly #statuses: Difference[] = []
  readonly #groups = new Map<string, Pairs>()

  /** `limit` is what the target said its limit is. */
  constructor(contract: Contract, limit = 1_000_000) {
    const windows = { minute: limit, day: Math.max(limit, 1_000_000) }
    const sandbox = createSandbox({
      contract,
      plans: { twin: windows },
      keys: { [KEY]: 'twin' },
    })
    this.#session = new Session(`http://sandbox.invalid${contract.basePath}`, {
      key: KEY,
      budget: Number.POSITIVE_INFINITY,
      exhaust: true,
      timeout: 60_000,
      fetch: (request) => sandbox.fetch(request),
      now: () => sandbox.clock.now(),
      sleep: async (milliseconds) => sandbox.clock.advance(milliseconds),
      onWait: () => undefined,
    })
  }

  /** Asks the sandbox what the target was just asked. */
  async follow(probe: Probe, answers: readonly Answer[]): Promise<void> {
    const before = this.#session.answers.length
    await probe.ask(this.#session).catch(() => undefined)
    const own = this.#session.answers.slice(before)
    // One may have more pages, or a larger quota, than the other.
    const isEven = own.length === answers.length
    for (const [at, answer] of answers.entries()) {
      const alike = own.find(({ status }) => status === answer.status) ?? own.at(-1)
      const other = isEven ? own[at] : alike
      if (other) this.#compare(answer, other)
    }
  }

  differences(): Difference[] {
    const found = [...this.#groups.values()].flatMap((pairs) => [
      ...headerDifferences(pairs),
      ...bodyDifferences(pairs),
    ])
    return [...this.#statuses, ...found]
  }

  #compare(target: Answer, sandbox: Answer): void {
    const operation = nameOf(target)
    if (target.status !== sandbox.status) {
      const { method, target: path, credentials, body = '' } = target.question
      const sender = credentials === 'key' ? '' : ` (${SENDERS[credentials]})`
      this.#statuses.push({
        operation,
        what: 'status',
        place: `${method} ${path}${sender}${body && ` ${shorten(body, 80)}`}`,
        target: String(target.status),
        sandbox: String(sandbox.status),
      })
      return
    }
    const key = `${operation} ${target.status}`
    const pairs = this.#groups.get(key) ?? { target: [], sandbox: [] }
    pairs.target.push(target)
    pairs.sandbox.push(sandbox)
    this.#groups.set(key, pairs)
  }
}

const SENDERS = { none: 'no key', longer: 'wrong key', scheme: 'wrong scheme' } as const

function nameOf({ question }: Answer): string {
  return question.operation?.id ?? `${question.method} ${question.target}`
}

function headerDifferences({ target, sandbox }: Pairs): Difference[] {
  const names = [...target, ...sandbox].flatMap(({ headers }) => [...headers.keys()])

  return [...new Set(names)].sort().flatMap((name) => {
    if (IGNORED.test(name)) return []
    const [theirs, ours] = [kindsOf(target, name), kindsOf(sandbox, name)]
    // Only what never agrees: the last page has no link to the next.
    const isAlike = theirs.some((kind) => ours.includes(kind))
    const isPaged = name !== 'link' || theirs.some((kind) => kind.includes('next'))
    if (isAlike && (isPaged || !isCut(target) || isCut(sandbox))) return []
    return [differ(target, 'header', name, theirs.join(', '), ours.join(', '))]
  })
}

/** Whether a list that was shorter than another, for its limit alone, did not link to the rest. */
function isCut(answers: readonly Answer[]): boolean {
  const most = Math.max(...answers.map(sizeOf))
  return answers.some((answer) => {
    const [, limit] = /\?limit=(\d+)$/.exec(answer.question.target) ?? []
    const isFull = sizeOf(answer) === Number(limit) && sizeOf(answer) < most
    return isFull && linkOf(answer.headers, 'next') === undefined
  })
}

function kindsOf(answers: readonly Answer[], name: string): string[] {
  const kinds = answers.map(({ headers }) => headers.get(name))
  return [...new Set(kinds.map((value) => (value === null ? 'none' : kindOf(value))))]
}

function bodyDifferences({ target, sandbox }: Pairs): Difference[] {
  const [theirs, ours] = [target, sandbox].map((answers) =>
    shapesOf(answers.flatMap(({ text }) => (text === '' ? [] : [parseJson(text)]))),
  )
  if (!theirs?.size || !ours?.size) return []
  const paths = [...new Set([...theirs.keys(), ...ours.keys()])]

  return paths.flatMap((path) => {
    if (!hasParent(path, theirs) || !hasParent(path, ours)) return []
    const [one, other] = [listOf(theirs, path), listOf(ours, path)]
    return one === other ? [] : [differ(target, 'body', path || 'body', one, other)]
  })
}

/** Nothing is known of the items of an empty list. */
function hasParent(path: string, shapes: Shapes): boolean {
  const parent = path.replace(/(\[\]|\.?[^.[\]]+)$/, '')
  return path.endsWith('[]') ? shapes.has(path) : path === '' || shapes.has(parent)
}

function listOf(shapes: Shapes, path: string): string {
  return [...(shapes.get(path) ?? ['none'])].sort().join(' or ')
}

function differ(
  answers: readonly Answer[],
  what: Difference['what'],
  place: string,
  target: string,
  sandbox: string,
): Difference {
  const [first] = answers
  const operation = first ? nameOf(first) : ''
  return { operation, what, place, ...(first && { status: first.status }), target, sandbox }
}
