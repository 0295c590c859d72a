import type { ProbeRequest, ProbeResponse } from './probe-messages.ts'
import { integerIn } from './response-headers.ts'

/** The part of a quota that is left to other users of the key. */
const RESERVED_PART = 0.1

/** `X-RateLimit-Reset` has whole seconds, so the window can end up to a second later. In milliseconds. */
const MARGIN = 1000

/** The state of a quota by the headers of the last response. */
interface QuotaState {
  readonly remaining: number
  /** The number of requests that are left to other users of the key. */
  readonly reserved: number
  /** In epoch milliseconds of the clock of this machine. */
  readonly reset: number
}

/** Requests without the key have a quota of their own. */
type QuotaOwner = 'key' | 'others'

/** Keeps the quota of the key, as the `X-RateLimit` headers state it. */
export class QuotaTracker {
  readonly #states = new Map<QuotaOwner, QuotaState>()
  readonly #reservedPart: number

  /** With `exhaust`, nothing is left to other users of the key. */
  constructor(exhaust: boolean) {
    this.#reservedPart = exhaust ? 0 : RESERVED_PART
  }

  /** The remaining requests of the key; `undefined` when the server does not state them. */
  get remaining(): number | undefined {
    return this.#states.get('key')?.remaining
  }

  /** How long to wait before a request, and why; `undefined` when it can be sent at once. */
  waitBefore(
    request: ProbeRequest,
    now: number,
  ): { readonly milliseconds: number; readonly why: string } | undefined {
    const state = this.#states.get(ownerOf(request))
    if (!state || state.remaining > state.reserved || now > state.reset) return undefined
    return {
      milliseconds: state.reset - now + MARGIN,
      why: `only ${state.remaining} requests of the quota are left`,
    }
  }

  /** Forgets a state whose window has ended. */
  endWindow(request: ProbeRequest): void {
    this.#states.delete(ownerOf(request))
  }

  update({ request, headers, time }: ProbeResponse, now: number): void {
    const remaining = integerIn(headers, 'X-RateLimit-Remaining')
    const reset = integerIn(headers, 'X-RateLimit-Reset')
    if (remaining === undefined || reset === undefined) return
    const limit = integerIn(headers, 'X-RateLimit-Limit') ?? 0
    const reserved = Math.ceil(limit * this.#reservedPart)
    // The clocks of the server and of this machine can differ.
    this.#states.set(ownerOf(request), { remaining, reserved, reset: now + reset * 1000 - time })
  }
}

function ownerOf({ credentials }: ProbeRequest): QuotaOwner {
  return credentials === 'key' ? 'key' : 'others'
}
