import { requireInteger, UsageError, unknownName } from '../../validation/usage-error.ts'

/** Parses an integer ≥ `min`. Throws a UsageError that names the option. */
export function toInteger(name: string, min: number): (text: string) => number {
  return (text) => requireInteger(name, /^\d+$/.test(text) ? Number(text) : text, min)
}

/** Parses a number > 0 and ≤ 1. Throws a UsageError for other text. */
export function toShare(text: string): number {
  const share = text.trim() === '' ? Number.NaN : Number(text)
  if (share > 0 && share <= 1) return share
  throw new UsageError({
    code: 'invalid_option',
    task: 'use the option --probability',
    reason: `it must be a number > 0 and ≤ 1 (got "${text}")`,
  })
}

/** Parses `name=value`. Throws a UsageError for other text. */
export function parsePair(word: string): readonly [name: string, value: string] {
  const at = word.indexOf('=')
  if (at > 0) return [word.slice(0, at), word.slice(at + 1)]
  throw new UsageError({
    code: 'invalid_value',
    task: `use "${word}" as a value`,
    reason: 'it is not in the form NAME=VALUE',
    help: 'Write it as status=sold.',
  })
}

/** Parses the values of a record: one JSON object, or pairs. The value of a pair is JSON if it is valid JSON, otherwise text. */
export function parseValues(words: readonly string[]): Record<string, unknown> {
  const [first = ''] = words
  if (words.length === 1 && first.trimStart().startsWith('{'))
    return parseJsonArgument(first, 'the values')
  return Object.fromEntries(words.map(parsePair).map(([name, text]) => [name, jsonOrText(text)]))
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Parses JSON. Throws a UsageError for invalid JSON. */
export function parseJsonArgument(text: string, what: string): Record<string, unknown> {
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

/** Throws a UsageError if there is a word: commander has already run the known verbs. */
export function rejectUnknownVerb([word]: readonly string[], known: readonly string[]): void {
  if (word === undefined) return
  throw new UsageError({
    code: 'unknown_verb',
    task: 'run the command',
    ...unknownName('command', word, known),
  })
}
