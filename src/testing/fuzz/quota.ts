/** The keys of the fuzz. Free is small, so that short stories come to its end. */
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

/** Ten refusals in a row that waited for nothing bring a ban of five minutes; each later one doubles, up to an hour. */
const BAN = { refusals: 10, seconds: 300, most: 3600 } as const

/** What a window has counted, as snapshots tell it. */
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

/** How a caller stands, and what the three headers tell of it. */
export interface QuotaDecision {
  readonly key: 'valid' | 'missing' | 'invalid'
  readonly account: string
  readonly headers: Readonly<Record<string, string>>
  /** Why the request must not pass, and until when. */
  readonly refusal?: { readonly by: Window | 'ban'; readonly until: number }
}

/** What DESIGN says of keys, windows and bans, written down once more. */
export class QuotaModel {
  readonly #accounts = new Map<string, Account>()

  /** Takes a request from its caller's quota; OPTIONS takes none. */
  count(authorization: string | undefined, now: number, method: string): QuotaDecision {
    const [, token] = /^bearer +(.+)$/i.exec(authorization ?? '') ?? []
    const known = token !== undefined && Object.hasOwn(KEYS, token) ? KEYS[token] : undefined
    const key = known ?? { plan: 'free' }
    const name = known && token !== undefined ? token : '(anonymous)'
    const account = this.#account(name)
    this.#roll(account, key, now)
    const refusal = refusalOf(account, key, now)
    if (!refusal && method !== 'OPTIONS') {
      account.minute.used += 1
      account.day.used += 1
    }
    const headers = headersOf(account, key, now)
    const kind = token === undefined ? 'missing' : 'invalid'

    return { key: known ? 'valid' : kind, account: name, headers, ...(refusal && { refusal }) }
  }

  /** A request came through, or was refused for `refusal`; gives when its caller may come back. */
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
    account.banUntil = now + Math.min(BAN.seconds * 2 ** account.bans, BAN.most) * 1000
    account.bans += 1
    account.refusals = 0

    return Math.max(account.banUntil, refusal.until)
  }

  /** By account, as snapshots have it. */
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
    const [minute, day] = [nothing(), nothing()]
    const account = { minute, day, refusals: 0, waitUntil: 0, bans: 0, banUntil: 0 }
    this.#accounts.set(name, account)
    return account
  }

  #roll(account: Account, { plan, spent }: Key, now: number): void {
    for (const name of ['minute', 'day'] as const) {
      const window = Math.floor(now / LENGTHS[name])
      if (account[name].window !== window) Object.assign(account[name], { window, used: 0 })
      if (spent === name) account[name].used = PLANS[plan][name]
    }
  }
}

function nothing(): WindowCount {
  return { window: 0, used: 0 }
}

function refusalOf(account: Account, { plan, spent }: Key, now: number): QuotaDecision['refusal'] {
  const banUntil = spent === 'ban' ? now + BAN.seconds * 1000 : account.banUntil
  const isBanned = banUntil > now
  const full = (['day', 'minute'] as const).filter(
    (name) => account[name].used >= PLANS[plan][name],
  )
  const by = isBanned ? 'ban' : full[0]
  const ends = [...full.map((name) => endOf(name, now)), ...(isBanned ? [banUntil] : [])]

  return by && { by, until: Math.max(...ends) }
}

/** The window with the fewest requests left; the day where both have as few. */
function headersOf(account: Account, { plan }: Key, now: number): Record<string, string> {
  const left = (name: Window): number => PLANS[plan][name] - account[name].used
  const shown = left('day') <= left('minute') ? 'day' : 'minute'

  return {
    'X-RateLimit-Limit': String(PLANS[plan][shown]),
    'X-RateLimit-Remaining': String(left(shown)),
    'X-RateLimit-Reset': String(endOf(shown, now) / 1000),
  }
}

function endOf(window: Window, now: number): number {
  return (Math.floor(now / LENGTHS[window]) + 1) * LENGTHS[window]
}
