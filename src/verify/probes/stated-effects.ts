import type { Schema } from '../../contract/contract.ts'
import { propertiesOf } from '../../contract/schema.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { isObject } from '../../validation/objects.ts'
import { type CheckDefinition, type Evaluation, operationCheck, passIf } from '../checks/check.ts'
import { timeOf, UNITS } from '../checks/derived-values.ts'
import { sentRecord, shownSchema } from '../checks/shown-values.ts'
import type { ProbeResponse } from '../messages.ts'
import { escaped, hasWords, sentencesOf, spaced } from '../session/stated-rules.ts'
import { fullValues, type GivenValues } from '../test-data/full-body.ts'
import { isDate, isNumber, keyword, numberNames } from '../test-data/values.ts'
import { NOT_REACHED } from './steps.ts'

/** What a sentence says that an action does to a property of its record. */
interface StatedEffect {
  readonly property: string
  readonly sentence: string
  /** By how much it moves: a number of the body, in a unit of time or as it is, or one. Without it, the property becomes the present time. */
  readonly by?: { readonly name?: string; readonly factor: number }
}

const MORE = /\b(adds?|increases?|raises?|deposits?|credits?|grows?)\b/
const LESS = /\b(subtracts?|deducts?|decreases?|reduces?|lowers?|withdraws?|debits?)\b/
const MOVES = /\b(moves?|postpones?|delays?|shifts?|extends?|prolongs?)\b/
const NOW =
  /\b(present|current) (time|moment|instant|day|date)\b|\b(to|as|is|becomes?) (now|today)\b|\bto the (time|moment|day|date) of the (request|call|action|change)\b/

/** Words of sentences that say when something is so. */
export const CONDITION: RegExp = /\b(if|when|unless|while|only|409|422|400)\b/

/**
 * Effects that descriptions of actions state: "Adds the quantity to the stock", "Moves departsAt later by this number of minutes", "Sets
 * retired_at to the present time".
 */
export function effectsTold(
  action: ResourceBinding,
  read: ResourceBinding | undefined,
  texts: DocumentTexts,
): readonly StatedEffect[] {
  const shown = read ? [...propertiesOf(shownSchema(read) ?? {})] : []
  const sentences = sentencesOf(texts.operation(action.operation.id)).map(spaced)
  return sentences.flatMap((sentence) => {
    if (CONDITION.test(sentence)) return []
    const named = shown.filter(([name]) => hasWords(sentence, spaced(name)))
    const byOne = countedIn(sentence, named)
    const others = named.filter(([name]) => byOne.every(({ property }) => property !== name))
    return [...byOne, ...movedIn(sentence, others, action), ...timedIn(sentence, named)]
  })
}

/** "Adds one to extensions". */
function countedIn(sentence: string, named: Named): readonly StatedEffect[] {
  return named.flatMap(([property, schema]): readonly StatedEffect[] => {
    const isOne = new RegExp(`\\badds (one|1) to (the |its )?${escaped(spaced(property))}(?!\\w)`)
    return isNumber(schema) && isOne.test(sentence)
      ? [{ property, sentence, by: { factor: 1 } }]
      : []
  })
}

type Named = readonly (readonly [name: string, schema: Schema])[]

function timedIn(sentence: string, named: Named): readonly StatedEffect[] {
  // "Sets X and Y to the present time" is about the last one for sure.
  const parts = sentence.split(/,\s|\band\b/)
  return named.flatMap(([property, schema]) => {
    const isMeant = parts.some((one) => NOW.test(one) && hasWords(one, spaced(property)))
    return isDate(schema) && isMeant ? [{ property, sentence }] : []
  })
}

function movedIn(
  sentence: string,
  named: Named,
  { operation }: ResourceBinding,
): readonly StatedEffect[] {
  const numbers = numberNames(operation.body?.schema ?? {})
  const said = numbers.filter((name) => hasWords(sentence, spaced(name)))
  const [name] = said.length > 0 ? said : numbers
  if (name === undefined || said.length > 1 || (said.length === 0 && numbers.length > 1)) return []
  const isLess = LESS.test(sentence) || /\bearlier\b/.test(sentence)
  const unit = Object.keys(UNITS).find((one) => hasWords(`${sentence} ${spaced(name)}`, one))
  const moved = named.filter(([one]) => one !== name && !isCounted(one, sentence))
  return moved.flatMap(([property, schema]): readonly StatedEffect[] => {
    const sign = isLess ? -1 : 1
    if (isNumber(schema) && (MORE.test(sentence) || LESS.test(sentence)))
      return [{ property, sentence, by: { name, factor: sign } }]
    const length = unit === undefined ? 0 : (UNITS[unit] ?? 0)
    return length > 0 && isMovedBy(sentence, schema, length)
      ? [{ property, sentence, by: { name, factor: sign * length } }]
      : []
  })
}

/** Whether a sentence moves a time, or a day by whole ones. */
function isMovedBy(sentence: string, schema: Schema, length: number): boolean {
  const format = keyword(schema, 'format')
  const isOfUnit = format === 'date-time' || (format === 'date' && length >= (UNITS.days ?? 0))
  return isOfUnit && MOVES.test(sentence) && /\b(by|later|earlier)\b/.test(sentence)
}

/** Whether a sentence says itself how much a property changes ("adds one to extensions"), or only counts by its name ("number of days"). */
function isCounted(property: string, sentence: string): boolean {
  const own = sentence.split(/,\s|\band\b/).find((one) => hasWords(one, spaced(property)))
  const isWord = property === 'number' && hasWords(sentence, 'number of')
  return isWord || (own !== undefined && COUNTED.test(own))
}

const COUNTED = /\b(one|two|three|\d+) (to|from|more|less)\b/

/** The record before an action, the action, and a read after it. */
export type Around = (
  responses: readonly ProbeResponse[],
) =>
  | Readonly<Record<'before' | 'after', unknown> & Record<'done' | 'found', ProbeResponse>>
  | undefined

/** Whether a record has after an action what sentences say of it. */
export function effectChecks(
  action: ResourceBinding,
  effects: readonly StatedEffect[],
  around: Around,
): readonly CheckDefinition[] {
  return effects.map((effect) => {
    const name = `changes ${effect.property} as its description says`
    return operationCheck(action.operation, `told/${effect.property}`, name, (responses) => {
      const known = around(responses)
      if (!known) return NOT_REACHED
      const { before, after, done, found } = known
      if (!isObject(before) || !isObject(after)) return NOT_REACHED
      const [old, now] = [before, after].map((one) => one[effect.property])
      return effect.by === undefined
        ? isPresent(now, done, found, effect)
        : isMoved([old, now], sentRecord(done, action), found, effect)
    })
  })
}

/** In milliseconds: the difference between the clocks of a run and a service. */
const MAX_DIFFERENCE = 2 * 86_400_000

function isPresent(
  now: unknown,
  { time }: ProbeResponse,
  found: ProbeResponse,
  { property, sentence }: StatedEffect,
): Evaluation {
  const shown = typeof now === 'string' ? timeOf(now) : undefined
  const isNow = shown !== undefined && Math.abs(shown - time) < MAX_DIFFERENCE
  return passIf(isNow, found, `"${property}" of the present: "${sentence}"`)
}

function isMoved(
  [old, now]: readonly unknown[],
  sent: unknown,
  found: ProbeResponse,
  { property, sentence, by }: StatedEffect,
): Evaluation {
  const amount = by ? amountOf(by, sent) : Number.NaN
  const [from, to] = [old, now].map((one) => (typeof one === 'number' ? one : timeOf(String(one))))
  if (from === undefined || to === undefined || Number.isNaN(amount)) return NOT_REACHED
  const isRight = Math.abs(to - from - amount) < 0.01
  const time = (): string => new Date(from + amount).toISOString()
  const expected =
    typeof old === 'string' ? time().slice(0, old.length > 10 ? undefined : 10) : from + amount
  return passIf(isRight, found, `"${property}": ${expected}: "${sentence}"`)
}

function amountOf({ name, factor }: NonNullable<StatedEffect['by']>, sent: unknown): number {
  if (name === undefined) return factor
  return isObject(sent) ? Number(sent[name]) * factor : Number.NaN
}

/** The numbers that an action moves in a new record: some that are not zero. */
export function movedNumbers(
  effects: readonly StatedEffect[],
  create: ResourceBinding,
): GivenValues {
  const moved = effects.flatMap(({ property, by }) => (by ? property : []))
  const numbers = Object.entries(fullValues(create)).filter(([name]) => moved.includes(name))
  return Object.fromEntries(numbers)
}
