import { MEBIBYTE } from '../../http/read-body.ts'
import { type Answer, NotSent, type Question } from './answer.ts'
import { headersOf } from './curl.ts'
import { parseExactly } from './json.ts'
import { Known } from './known.ts'
import { receive, Unanswered } from './receive.ts'

/** What a session is told. */
export interface SessionOptions {
  readonly key: string
  /** Requests at the most. */
  readonly budget: number
  /** Whether the last of the quota may be spent as well. */
  readonly exhaust: boolean
  /** Milliseconds for each answer. */
  readonly timeout: number
  readonly fetch: (request: Request) => Promise<Response>
  /** Epoch milliseconds. */
  readonly now: () => number
  readonly sleep: (milliseconds: number) => Promise<void>
  /** Told before each wait. */
  readonly onWait: (milliseconds: number, why: string) => void
}

/** The longest wait for a new window, in milliseconds: windows of a minute are waited for, longer ones are not. */
export const LONGEST_WAIT = 65_000

/** As many characters of bodies are kept in all, so that a target does not decide how much memory a run takes. */
const MOST_KEPT = 64 * MEBIBYTE

/** The part of a quota that is left to others. */
const RESERVE = 0.1

/** Clocks tell whole seconds, each its own. */
const MARGIN = 1000

/** What the headers last told of a quota. */
interface Left {
  readonly remaining: number
  /** What is left for others who use the key. */
  readonly reserve: number
  /** Epoch milliseconds by the clock of this machine. */
  readonly reset: number
}

/** The requests to one target: counted, paced by what it tells of its quota, and kept with their answers. */
export class Session {
  readonly base: string
  readonly known: Known = new Known()
  /** In the order they came. */
  readonly answers: Answer[] = []
  /** Requests so far. */
  sent = 0
  /** Milliseconds so far. */
  waited = 0
  readonly #options: SessionOptions
  readonly #left = new Map<'key' | 'nobody', Left>()
  #refusedUntil = 0
  #kept = 0

  constructor(base: string, options: SessionOptions) {
    this.base = base
    this.#options = options
  }

  /** What another address answers, if it does; the request counts. */
  async look(base: string, question: Question): Promise<Answer | undefined> {
    if (this.affordable <= 0) return undefined
    this.sent += 1
    return await new Session(base, this.#options).ask(question).catch(() => undefined)
  }

  /** Requests that the budget still allows. */
  get affordable(): number {
    return this.#options.budget - this.sent
  }

  get now(): number {
    return this.#options.now()
  }

  /** Requests left to the key, as it was told last; `undefined` where nothing was told. */
  get remaining(): number | undefined {
    return this.#left.get('key')?.remaining
  }

  /** Sends a request when the quota allows it, and again after a 429. Throws {@link NotSent} and `Unanswered`. */
  async send(question: Question): Promise<Answer> {
    await this.#pace(question)
    const answer = await this.ask(question)
    if (answer.status !== 429) return answer

    await this.waitFor(waitOf(answer), 'the target answers 429')
    const second = await this.ask(question)
    if (second.status !== 429) return second
    this.#refusedUntil = this.now + (waitOf(second) ?? LONGEST_WAIT)
    throw new NotSent('the target answers 429, after the wait that it asked for as well')
  }

  /** Sends a request at once, whatever is left of the quota. */
  async ask(question: Question): Promise<Answer> {
    if (this.affordable <= 0) {
      throw new NotSent(`the budget of ${this.#options.budget} requests is spent`)
    }
    if (this.#kept > MOST_KEPT) {
      throw new NotSent(`its answers have more than ${MOST_KEPT / MEBIBYTE} MiB in all`)
    }
    this.sent += 1
    const { key, fetch, timeout, now } = this.#options
    const { method, target, body } = question
    const request = new Request(this.base + target, {
      method,
      headers: { Accept: 'application/json', ...headersOf(question, key) },
      redirect: 'manual',
      ...(body !== undefined && { body }),
    })
    const received = await receive(request, fetch, timeout).catch((error: unknown) => {
      if (error instanceof Unanswered) error.question = question
      throw error
    })
    const date = Date.parse(received.headers.get('Date') ?? '')
    const time = Number.isNaN(date) ? now() : date
    const answer = { question, ...received, value: parseExactly(received.text), time }
    this.#kept += received.text.length
    this.answers.push(answer)
    this.#note(answer)

    return answer
  }

  /** Waits, unless it would take too long: then it throws {@link NotSent}. */
  async waitFor(milliseconds: number | undefined, why: string): Promise<void> {
    if (milliseconds === undefined) throw new NotSent(`${why} and does not say for how long`)
    if (milliseconds > LONGEST_WAIT) {
      this.#refusedUntil = this.now + milliseconds
      throw new NotSent(`${why} for another ${Math.round(milliseconds / 1000)} s`)
    }
    const length = Math.max(0, milliseconds)
    if (length === 0) return
    this.#options.onWait(length, why)
    this.waited += length
    await this.#options.sleep(length)
  }

  async #pace({ credentials }: Question): Promise<void> {
    if (this.now < this.#refusedUntil) throw new NotSent('the target answers 429 for now')
    const account = credentials === 'key' ? 'key' : 'nobody'
    const left = this.#left.get(account)
    if (!left || left.remaining > left.reserve || this.now > left.reset) return

    await this.waitFor(
      left.reset - this.now + MARGIN,
      `${left.remaining} requests of the quota are left`,
    )
    this.#left.delete(account)
  }

  #note({ question, headers, time }: Answer): void {
    const remaining = numberIn(headers, 'X-RateLimit-Remaining')
    const reset = numberIn(headers, 'X-RateLimit-Reset')
    if (remaining === undefined || reset === undefined) return
    const account = question.credentials === 'key' ? 'key' : 'nobody'
    const limit = numberIn(headers, 'X-RateLimit-Limit') ?? 0
    const reserve = this.#options.exhaust ? 0 : Math.ceil(limit * RESERVE)
    // The target's clock need not be this machine's.
    this.#left.set(account, { remaining, reserve, reset: this.now + reset * 1000 - time })
  }
}

/** A header's whole number; `undefined` when it is none. */
export function numberIn(headers: Headers, name: string): number | undefined {
  const text = headers.get(name) ?? ''
  return /^-?\d+$/.test(text) ? Number(text) : undefined
}

/** The wait that `Retry-After` asks for in milliseconds, as seconds or as a date (RFC 9110, section 10.2.3). */
export function waitOf({ headers, time }: Answer): number | undefined {
  const text = headers.get('Retry-After') ?? ''
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000
  const date = Date.parse(text)

  return Number.isNaN(date) ? undefined : Math.max(0, date - time)
}
