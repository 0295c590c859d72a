import type { Contract } from '../../contract/contract.ts'
import { createSandbox } from '../../sandbox/sandbox.ts'
import type { Probe } from '../probes/probe.ts'
import type { ProbeResponse } from '../requests/probe-messages.ts'
import { Session } from '../requests/session.ts'
import { shorten } from '../shorten.ts'
import {
  bodyDifferences,
  type Difference,
  headerDifferences,
  operationName,
  type ResponsePairs,
} from './differences.ts'

const KEY = 'sk_reference'

const CREDENTIALS = {
  none: 'without a key',
  'invalid-key': 'with an invalid key',
  'other-scheme': 'with another authentication scheme',
} as const

/** A sandbox of the same document, which gets the same requests as the server. */
export class ReferenceSandbox {
  readonly #session: Session
  readonly #statuses: Difference[] = []
  readonly #pairs = new Map<string, ResponsePairs>()

  /** `limit` is the request limit that the server states. */
  constructor(contract: Contract, limit = 1_000_000) {
    const sandbox = createSandbox({
      contract,
      auth: 'keys',
      plans: { reference: { minute: limit, day: Math.max(limit, 1_000_000) } },
      keys: { [KEY]: 'reference' },
    })
    const base = `http://sandbox.invalid${contract.basePath}`
    this.#session = new Session(
      { base, contract, key: KEY },
      {
        budget: Number.POSITIVE_INFINITY,
        exhaust: true,
        timeout: 60_000,
        maxWait: Number.POSITIVE_INFINITY,
        fetch: (request) => sandbox.fetch(request),
        now: () => sandbox.clock.now(),
        sleep: async (milliseconds) => sandbox.clock.advance(milliseconds),
        onWait: () => undefined,
      },
    )
  }

  /** Sends a probe to the sandbox and compares the responses with those of the server. */
  async repeat(probe: Probe, responses: readonly ProbeResponse[]): Promise<void> {
    const before = this.#session.responses.length
    await probe.send(this.#session).catch(() => undefined)
    const own = this.#session.responses.slice(before)
    // One of the two can have more pages or a larger quota.
    const hasSameLength = own.length === responses.length
    for (const [at, response] of responses.entries()) {
      const sameStatus = own.find(({ status }) => status === response.status) ?? own.at(-1)
      const counterpart = hasSameLength ? own[at] : sameStatus
      if (counterpart) this.#compare(response, counterpart)
    }
  }

  differences(): Difference[] {
    const found = [...this.#pairs.values()].flatMap((pairs) => [
      ...headerDifferences(pairs),
      ...bodyDifferences(pairs),
    ])
    return [...this.#statuses, ...found]
  }

  #compare(target: ProbeResponse, sandbox: ProbeResponse): void {
    const operation = operationName(target)
    if (target.status !== sandbox.status) {
      this.#statuses.push({
        operation,
        what: 'status',
        place: describeRequest(target),
        target: String(target.status),
        sandbox: String(sandbox.status),
      })
      return
    }
    const key = `${operation} ${target.status}`
    const pairs = this.#pairs.get(key) ?? { target: [], sandbox: [] }
    pairs.target.push(target)
    pairs.sandbox.push(sandbox)
    this.#pairs.set(key, pairs)
  }
}

/** `POST /pets (without a key) {"name":"Rex"}`. */
function describeRequest({ request }: ProbeResponse): string {
  const { method, target, credentials, body } = request
  return [
    `${method} ${target}`,
    ...(credentials === 'key' ? [] : [`(${CREDENTIALS[credentials]})`]),
    ...(body ? [shorten(body, 80)] : []),
  ].join(' ')
}
