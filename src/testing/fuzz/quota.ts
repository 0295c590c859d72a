/** The plans of the fuzz tests. The limits of `free` are small, so that short sequences reach them. */
export const PLANS = {
  free: { minute: 5, day: 25 },
  pro: { minute: 300, day: 10_000 },
} as const

const KEYS: Readonly<Record<string, Key>> = {
  sk_sandbox_free: { plan: 'free' },
  sk_sandbox_pro: { plan: 'pro' },
  sk_sandbox_rate_limited: { plan: 'free', spent: 'minute' },
  sk_sandbox_day_exhausted: { plan: 'free', spent: 'day' },
  sk_sandbox_banned: { plan: 'free', spent: 'ban' },
}

interface Key {
  readonly plan: keyof typeof PLANS
  readonly spent?: 'minute' | 'day' | 'ban'
}

const LENGTHS = { minute: 60_000, day: 86_400_000 } as const
type Window = keyof typeof LENGTHS

/** Ten consecutive refusals without waiting cause a ban of five minutes. Each later ban is twice as long, up to an hour. */
const BAN = { refusals: 10, seconds: 300, maxSeconds: 3600 } as const

/** The count of a window, as snapshots contain it. */
export interface WindowCount {
  window: number
  used: number
}

interface Account {
  readonly minute: WindowCount
  readonly day: WindowCount
  refusals: number
  waitUntil: number
  bans: number
  banUntil: number
}

/** The expected quota headers of a request, and why it must be refused. */
export interface QuotaDecision {
  readonly key: 'valid' | 'missing' | 'invalid'
  readonly account: string
  readonly headers: Readonly<Record<string, string>>
  /** The reason of the refusal, and the time at which it ends. */
  readonly refusal?: { readonly by: Window | 'ban'; readonly until: number }
}

/** A second implementation of keys, quota windows and bans. */
export class QuotaModel {
  readonly #accounts = new Map<string, Account>()

  /** Counts a request of a caller. OPTIONS is not counted. */
  count(authorization: string | undefined, now: number, method: string): QuotaDecision {
    const [, token] = /^bearer +(.+)$/i.exec(authorization ?? '') ?? []
    const known = token !== undefined && Object.hasOwn(KEYS, token) ? KEYS[token] : undefined
    const key = known ?? { plan: 'free' }
    const name = known && token !== undefined ? token : '(anonymous)'
    const account = this.#account(name)
    this.#startWindows(account, key, now)
    const refusal = refusalOf(account, key, now)
    if (!refusal && method !== 'OPTIONS') {
      account.minute.used += 1
      account.day.used += 1
    }
    const headers = headersOf(account, key, now)
    const kind = token === undefined ? 'missing' : 'invalid'

    return { key: known ? 'valid' : kind, account: name, headers, ...(refusal && { refusal }) }
  }

  /** Records that a request was served or refused. Returns the time from which the caller is served again. */
  recordRefusal({ account: name, refusal }: QuotaDecision, now: number): number {
    const account = this.#account(name)
    if (!refusal) {
      account.refusals = 0
      return 0
    }
    if (refusal.by === 'ban' || KEYS[name]?.spent) return refusal.until
    account.refusals = now < account.waitUntil ? account.refusals + 1 : 1
    account.waitUntil = refusal.until
    if (account.refusals < BAN.refusals) return refusal.until
    account.banUntil = now + Math.min(BAN.seconds * 2 ** account.bans, BAN.maxSeconds) * 1000
    account.bans += 1
    account.refusals = 0

    return Math.max(account.banUntil, refusal.until)
  }

  /** The counts by account, as snapshots contain them. */
  get counted(): Readonly<Record<string, { minute: WindowCount; day: WindowCount }>> {
    const entries = [...this.#accounts].map(([name, { minute, day }]) => [name, { minute, day }])
    return structuredClone(Object.fromEntries(entries))
  }

  copy(): QuotaModel {
    const copy = new QuotaModel()
    for (const [name, account] of structuredClone(this.#accounts)) copy.#accounts.set(name, account)
    return copy
  }

  #account(name: string): Account {
    const known = this.#accounts.get(name)
    if (known) return known
    const [minute, day] = [emptyWindow(), emptyWindow()]
    const account = { minute, day, refusals: 0, waitUntil: 0, bans: 0, banUntil: 0 }
    this.#accounts.set(name, account)
    return account
  }

  #startWindows(account: Account, { plan, spent }: Key, now: number): void {
    for (const name of ['minute', 'day'] as const) {
      const window = Math.floor(now / LENGTHS[name])
      if (account[name].window !== window) Object.assign(account[name], { window, used: 0 })
      if (spent === name) account[name].used = PLANS[plan][name]
    }
  }
}

function emptyWindow(): WindowCount {
  return { window: 0, used: 0 }
}

function refusalOf(account: Account, { plan, spent }: Key, now: number): QuotaDecision['refusal'] {
  const banUntil = spent === 'ban' ? now + BAN.seconds * 1000 : account.banUntil
  const isBanned = banUntil > now
  const spentWindows = (['day', 'minute'] as const).filter(
    (name) => account[name].used >= PLANS[plan][name],
  )
  const by = isBanned ? 'ban' : spentWindows[0]
  const ends = [...spentWindows.map((name) => endOf(name, now)), ...(isBanned ? [banUntil] : [])]

  return by && { by, until: Math.max(...ends) }
}

/** The headers describe the window with the fewest remaining requests, or the day when both are equal. */
function headersOf(account: Account, { plan }: Key, now: number): Record<string, string> {
  const remaining = (name: Window): number => PLANS[plan][name] - account[name].used
  const shown = remaining('day') <= remaining('minute') ? 'day' : 'minute'

  return {
    'X-RateLimit-Limit': String(PLANS[plan][shown]),
    'X-RateLimit-Remaining': String(remaining(shown)),
    'X-RateLimit-Reset': String(endOf(shown, now) / 1000),
  }
}

function endOf(window: Window, now: number): number {
  return (Math.floor(now / LENGTHS[window]) + 1) * LENGTHS[window]
}
