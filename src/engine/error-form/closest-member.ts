import type { ErrorFacts } from './error-facts.ts'
import { normalizedName } from './known-names.ts'

/** Words that documents use for the errors of each status, besides its phrase. */
const WORDS: Readonly<Record<number, readonly string[]>> = {
  400: ['invalid', 'validation', 'malformed', 'badinput', 'parameter'],
  401: ['unauthenticated', 'unauthori', 'authenti', 'invalidtoken', 'invalidkey', 'token', 'auth'],
  403: ['forbidden', 'permission', 'accessdenied', 'notallowed', 'denied'],
  404: ['notfound', 'missing', 'unknown', 'nosuch', 'doesnotexist'],
  405: ['method', 'notallowed', 'notsupported'],
  406: ['accept'],
  408: ['timeout', 'timedout'],
  409: ['conflict', 'exists', 'duplicate'],
  410: ['gone', 'removed', 'deleted'],
  413: ['toolarge', 'toolong', 'size'],
  415: ['unsupportedmedia', 'mediatype', 'contenttype'],
  422: ['unprocessable', 'validation', 'invalid'],
  429: ['ratelimit', 'toomany', 'throttl', 'limitexceeded', 'quota'],
  500: ['internal', 'servererror', 'unexpected', 'unknown'],
  503: ['unavailable', 'maintenance', 'overload', 'tryagain'],
}

/** Members that fit any error, as in `status: success | error`. */
const ANY_ERROR = ['error', 'errors', 'err', 'fail', 'failed', 'failure', 'ko', 'nok']

/** A shorter code can be a part of words that mean something else. */
const MIN_PART_LENGTH = 7

/** The member of an enumeration that fits an error best; `undefined` when none does. */
export function closestMember(
  members: readonly unknown[],
  { status, phrase, code }: Pick<ErrorFacts, 'status' | 'phrase' | 'code'>,
): unknown {
  const isStatus = members.find((member) => member === status || member === String(status))
  if (isStatus !== undefined) return isStatus
  const names = members.flatMap((member) =>
    typeof member === 'string' ? [{ member, name: normalizedName(member) }] : [],
  )
  const exact = [normalizedName(code), normalizedName(phrase)]
  const words = [
    ...exact.filter((word) => word.length >= MIN_PART_LENGTH),
    ...(WORDS[status] ?? WORDS[status < 500 ? 400 : 500] ?? []),
  ]
  const found =
    find(exact, names, (name, word) => name === word) ??
    find(words, names, (name, word) => name.includes(word)) ??
    find(ANY_ERROR, names, (name, word) => name === word)

  return found?.member
}

interface Named {
  readonly member: string
  readonly name: string
}

function find(
  words: readonly string[],
  names: readonly Named[],
  fits: (name: string, word: string) => boolean,
): Named | undefined {
  for (const word of words) {
    const found = names.find(({ name }) => fits(name, word))
    if (found) return found
  }
  return undefined
}
