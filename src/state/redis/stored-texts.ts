import type { StoredAccount, StoredRule } from '../stored-state.ts'

// Accounts and rules are short texts, which scripts compare, read and write. Equal ones have equal texts.

/** The text of an account, `minute:used:day:used|row:retryAt:bans:until`; empty for one without usage and bans. */
export function accountText(account: StoredAccount | undefined): string {
  if (!account?.usage && !account?.history) return ''
  const { usage, history } = account
  const counts = usage
    ? [usage.minute.window, usage.minute.used, usage.day.window, usage.day.used].join(':')
    : ''
  const bans = history ? [history.row, history.retryAt, history.bans, history.until].join(':') : ''

  return `${counts}|${bans}`
}

/** Reads the text of an account; `undefined` for another text. */
export function readAccount(text: string): StoredAccount | undefined {
  if (text === '') return {}
  const [counts, bans, ...rest] = text.split('|')
  if (counts === undefined || bans === undefined || rest.length > 0) return undefined
  const usage = numbersIn(counts, 4)
  const history = numbersIn(bans, 4)
  if (!usage || !history) return undefined
  const [minute = 0, minuteUsed = 0, day = 0, dayUsed = 0] = usage
  const [row = 0, retryAt = 0, count = 0, until = 0] = history

  return {
    ...(counts !== '' && {
      usage: {
        minute: { window: minute, used: minuteUsed },
        day: { window: day, used: dayUsed },
      },
    }),
    ...(bans !== '' && { history: { row, retryAt, bans: count, until } }),
  }
}

/** The text of a rule's state, `matched:forced:random`; empty for a removed rule. */
export function ruleText(rule: StoredRule | undefined): string {
  return rule ? [rule.matched, rule.forced, rule.random].join(':') : ''
}

/** Reads the text of a rule's state; `undefined` for another text. */
export function readRule(text: string): StoredRule | undefined {
  const numbers = text === '' ? undefined : numbersIn(text, 3)
  if (!numbers) return undefined
  const [matched = 0, forced = 0, random = 0] = numbers

  return { matched, forced, random }
}

/** As many finite numbers as `count`, or none; `undefined` for another text. */
function numbersIn(text: string, count: number): readonly number[] | undefined {
  if (text === '') return []
  const numbers = text.split(':').map((one) => (one === '' ? Number.NaN : Number(one)))
  return numbers.length === count && numbers.every(Number.isFinite) ? numbers : undefined
}
