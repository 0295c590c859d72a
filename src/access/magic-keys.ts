import type { MagicOutcome } from './caller.ts'
import type { Plan } from './plan.ts'

/** The API keys whose requests all have the same outcome. Every sandbox accepts them, in every documented form. */
export const MAGIC_KEYS: Readonly<Record<string, MagicOutcome>> = {
  sk_sandbox_rate_limited: 'rate-limited',
  sk_sandbox_day_exhausted: 'day-exhausted',
  sk_sandbox_banned: 'banned',
}

/** The plan of magic keys in a sandbox without plans, so that their 429 has quota headers. */
export const MAGIC_PLAN: Plan = { name: 'sandbox', minute: 60, day: 1000 }
