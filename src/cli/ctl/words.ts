import { UsageError, unknownName, wholeNumber } from '../../validation/usage-error.ts'

/** A whole number from `least` up. Throws a UsageError that names what it is for. */
export function toWholeNumber(name: string, least: number): (text: string) => number {
  return (text) => wholeNumber(name, /^\d+$/.test(text) ? Number(text) : text, least)
}

/** A number over 0 up to 1. Throws a UsageError for any other. */
export function toShare(text: string): number {
  const share = text.trim() === '' ? Number.NaN : Number(text)
  if (share > 0 && share <= 1) return share
  throw new UsageError({
    code: 'invalid_option',
    task: 'use the option --probability',
    reason: `it must be a number > 0 and ≤ 1 (got "${text}")`,
  })
}

/** `name=value` as a pair. Throws a UsageError for what is none. */
export function toPair(word: string): readonly [name: string, value: string] {
  const at = word.indexOf('=')
  if (at > 0) return [word.slice(0, at), word.slice(at + 1)]
  throw new UsageError({
    code: 'invalid_value',
    task: `use "${word}" as a value`,
    reason: 'it is not in the form NAME=VALUE',
    help: 'Write it as status=sold.',
  })
}

/** A record's values: one JSON object, or pairs. A pair's value is JSON where it can be, and else text. */
export function toValues(words: readonly string[]): Record<string, unknown> {
  const [first = ''] = words
  if (words.length === 1 && first.trimStart().startsWith('{')) return fromJson(first, 'the values')
  return Object.fromEntries(words.map(toPair).map(([name, text]) => [name, jsonOrText(text)]))
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** What JSON says. Throws a UsageError for what is none. */
export function fromJson(text: string, what: string): Record<string, unknown> {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new UsageError({
      code: 'invalid_json',
      task: `read ${what}`,
      reason: `the text is not valid JSON (${why})`,
      help: 'Correct the text.',
      cause,
    })
  }
}

/** Throws a UsageError for the first of the words, which is no verb of those known. */
export function refuseVerb([word]: readonly string[], known: readonly string[]): void {
  if (word === undefined) return
  throw new UsageError({
    code: 'unknown_verb',
    task: 'run the command',
    ...unknownName('command', word, known),
  })
}
