import type { Schema } from '../../contract/contract.ts'
import { propertiesOf, schemaAt } from '../../contract/schema.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { referenceName, singular } from '../../resources/reference-names.ts'
import { recordTemplate, segmentsOf, sentPlace } from '../record-address.ts'
import { escaped, hasWords, sentencesOf, spaced } from '../session/stated-rules.ts'
import { isDate, keyword, typeOf } from '../test-data/values.ts'
import { kindOf } from './stated-orders.ts'
import { UNIQUE } from './stated-relations.ts'

// What sentences of a document allow only once: a number in a section, an open order of a sample, a booking of a room at a time.

/** What only one record may have, or do, at a time. */
export interface OnceRule {
  /** None where it is the record above that has only one. */
  readonly names: readonly string[]
  /** The word for the state in which only one may be, as in "at most one open order". */
  readonly state?: string
  /** Whether it is a period, so that what it is of and when it is say all. */
  readonly isPeriod: boolean
  /** The flags that say that a record is one of which there is only one, as in "at most one chair". Default: none. */
  readonly flags?: readonly string[]
  readonly sentence: string
}

/** What says that something may be there only once. */
const ONCE =
  /\bonly once\b|\bonce (in|per|for|on)\b|\btwice\b|\bno other\b|\bthe same\b|\bduplicate|\b(is|are) (already )?taken\b|\bone [\w-]+ (for|per)\b|\bthere (is|are) (already )?(an?|another|one) [\w-]+ (for|with|on|in|of|at|by)\b|\bat most one\b|\bin use\b|\bhas (already )?another [\w -]+ (of|with)\b|\bhas an? [\w -]+ (already|(of|for|from|by) (this|that|the same))\b|\balready (has|have|had|exists?|contains?|assigned|booked|enrolled|joined|listed|queued|registered|reserved|signed up|used|uses|waiting|in the|on the)\b|\banother [\w-]+\b((?!\b(while|unless|until|as long as)\b).)*\b(has|have|with|uses)\b/

const OF_DAY = /\b(that|the same|this) ([\w ]+, )*([\w ]+,? and )?(day|date)\b/

/** How much there is of something is another rule. */
const COMPARISON = /\b(more|fewer|less|greater|than|enough|exceeds?)\b/

/** What says that two periods must not have a time in common. */
const OVERLAP = /\boverlap\w*\b|\b(days?|times?|periods?) in common\b|\bat the same time\b|\bclash/

/** What a sentence means by "the same day" and "the same number": the only day, and the only `episodeNumber`, that a record has. */
function impliedIn(
  sentence: string,
  sent: readonly (readonly [string, Schema])[],
): readonly string[] {
  const days = sent.filter(([, one]) => keyword(one, 'format') === 'date')
  const numbers = sent.filter(([name, one]) => /number$/i.test(name) && typeOf(one) === 'integer')
  const meant = [
    OF_DAY.test(sentence) ? days : [],
    /\bthe same number\b/.test(sentence) ? numbers : [],
  ]
  return meant.flatMap((all) => (all.length === 1 ? all.map(([name]) => name) : []))
}

/** Whether a sentence is about one value of another record: "a number that another level has". */
function isOfAnother(sentence: string, name: string): boolean {
  const words = escaped(spaced(name))
  return new RegExp(
    `\\b(?:an?|the|whose) ${words} (?:that |which |of |in use by )?another\\b`,
    'i',
  ).test(sentence)
}

/** The times of a record, and what two of them have in common: what a sentence names, or else whatever they refer to. */
function namesOfPeriod(
  sentence: string,
  sent: readonly (readonly [string, Schema])[],
): readonly string[] {
  const places = placesIn(sentence, sent)
  const isPlace = (name: string): boolean =>
    places.length > 0 ? places.includes(name) : referenceName(name).hasIdSuffix
  return sent.flatMap(([name, property]) =>
    isPlace(name) || /^(date|clock)$/.test(kindOf(property) ?? '') ? [name] : [],
  )
}

/** What two records have in common whose times must not overlap: "at the same place", "in one room", "of the same boat". */
function placesIn(
  sentence: string,
  sent: readonly (readonly [string, Schema])[],
): readonly string[] {
  return sent.flatMap(([name, schema]) => {
    const { of, hasIdSuffix } = referenceName(name)
    const word = escaped(spaced(of))
    const same = new RegExp(`\\b(?:same|one|that|this|its|each|a|the) (?:\\w+ )?${word}s?\\b`, 'i')
    const isTold = hasIdSuffix || (typeOf(schema) === 'string' && !isDate(schema))
    return isTold && same.test(sentence) ? [name] : []
  })
}

/** What is unique, and among which records: "The number must stay unique in its section". */
const WITHIN =
  /([\w ]+?)(?: must| has to| should)? (?:be|stay|remain|is|are) unique (?:with)?in (?:its|their|the|an?|each|one|that) (\w+)/i

export function onceIn(
  sentence: string,
  binding: ResourceBinding,
  create: ResourceBinding,
): readonly OnceRule[] {
  const isPeriod = OVERLAP.test(sentence)
  if (!isPeriod && !saysOnce(sentence)) return []
  const sent = [...propertiesSent(binding.operation.body && !isPeriod ? binding : create)]
  const flags = isPeriod ? [] : flagsIn(sentence, create, sent)
  const names = isPeriod ? namesOfPeriod(sentence, sent) : namesOnce(sentence, sent)
  const [, subject = '', within] = WITHIN.exec(sentence) ?? []
  // That among which something is unique is not unique itself.
  const isAmong = within !== undefined && !names.some((name) => hasWords(subject, spaced(name)))
  if (isAmong || !flags) return []
  // An action that has no values is about what its record refers to.
  const own = binding.operation.body ? names : names.filter((one) => referenceName(one).hasIdSuffix)
  // "The ward has another bed of that label" is about beds of one ward, which a change of a bed does not send.
  const isChange = binding !== create && !isPeriod && binding.operation.body !== undefined
  const scope = [...propertiesSent(create).keys()].filter((name) => {
    const { of, hasIdSuffix } = referenceName(name)
    return isChange && hasIdSuffix && !names.includes(name) && hasWords(sentence, spaced(of))
  })
  const told = [...own, ...scope, ...flags]
  const only = flags.length > 0 ? { flags } : {}
  return own.length > 0 ? [{ names: told, isPeriod, ...only, sentence }] : []
}

/** Whether a sentence says that something may be there only once. How much there is of something is another rule. */
function saysOnce(sentence: string): boolean {
  // "When the member is waiting already".
  const turned = sentence.replace(/\b(\w+) already\b/g, 'already $1')
  const isOnce = ONCE.test(sentence) || ONCE.test(turned) || UNIQUE.test(sentence)
  return isOnce && !COMPARISON.test(sentence)
}

/** The properties whose values a sentence allows only once. */
function namesOnce(
  sentence: string,
  sent: readonly (readonly [string, Schema])[],
): readonly string[] {
  const implied = impliedIn(sentence, sent)
  const [, subject = ''] = WITHIN.exec(sentence) ?? []
  return sent.flatMap(([name, property]) => {
    const { of, hasIdSuffix } = referenceName(name)
    const isMeant = [name, of].some((one) => hasWords(sentence, spaced(one)))
    if (implied.includes(name)) return [name]
    // How many there are of something is another rule.
    const isSubject = hasWords(subject, spaced(name))
    const isTold =
      isSubject || typeOf(property) === 'string' || isDate(property) || isOfAnother(sentence, name)
    return isMeant && (hasIdSuffix || isTold) ? [name] : []
  })
}

/**
 * The flag of the only ones: `isChair` of jury members in "A section has at most one chair". None where the records themselves are meant;
 * `undefined` where something else is, of which no request says that a record is one.
 */
function flagsIn(
  sentence: string,
  create: ResourceBinding,
  sent: readonly (readonly [string, Schema])[],
): readonly string[] | undefined {
  const [, noun] = /\b(?:at most|no more than|only) one ((?!of\b)[\w-]+)/i.exec(sentence) ?? []
  const own = spaced(singular(segmentsOf(create.operation.path).at(-1) ?? ''))
  // "At most one open order" is read as a whole elsewhere.
  if (noun === undefined || new RegExp(`${escaped(noun)}(?: \\w+){0,2} ?\\b`, 'i').test(own))
    return []
  const flag = sent.find(
    ([name, one]) =>
      typeOf(one) === 'boolean' &&
      new RegExp(`^(?:is )?${escaped(spaced(noun))}$`).test(spaced(name)),
  )
  if (flag) return [flag[0]]
  return hasWords(sentence, own) ? [] : undefined
}

/** Where the parts of a sentence begin that each say when something is refused. */
const PART = /,\s+|\s+(?:or|and)\s+(?=(?:an?|the|when|if|while)\b)/

/**
 * What a new record may refer to only while no other one does: "A conflict when the vehicle has an open session", and "when the space
 * is occupied" of a creation that occupies it.
 */
export function heldIn(
  sentence: string,
  create: ResourceBinding,
  texts: DocumentTexts,
): readonly OnceRule[] {
  const own = spaced(singular(segmentsOf(create.operation.path).at(-1) ?? ''))
  const others = sentencesOf(texts.operation(create.operation.id))
    .map(spaced)
    .filter((one) => one !== sentence)
  const isHeld = (part: string, noun: string): boolean => {
    const has = `\\b${escaped(noun)} (?:\\w+ )?(?:has|with) (?:an?|another|one) (?:[\\w-]+ )?${escaped(own)}\\b`
    if (new RegExp(has, 'i').test(part)) return true
    const is = `(?:^|\\b(?:when|if|while|where) )(?:the |an? )?${escaped(noun)} (?:that |which |who )?is (?:already |still )?(?!not\\b|avail|free\\b|open\\b|activ)(?:on |in )?(\\w{4})`
    const [, state = ''] = new RegExp(is, 'i').exec(part) ?? []
    // The creation itself brings it into that state.
    return state !== '' && others.some((one) => hasWords(one, noun) && one.includes(state))
  }
  return sentence.split(PART).flatMap((part) =>
    [...propertiesSent(create).keys()].flatMap((name): readonly OnceRule[] => {
      const { of, hasIdSuffix } = referenceName(name)
      return hasIdSuffix && isHeld(part, spaced(of))
        ? [{ names: [name], isPeriod: false, sentence }]
        : []
    }),
  )
}

/** How often something may be there: "A sample has at most one open order", "no more than one booking that is held for a day". */
const ONE_ONLY = String.raw`\b(?:at most|no more than|not more than|only) one ((?:[\w-]+ ){0,2}?)`

const EACH_DAY = /\b(?:for|on|per|each|every) (?:(?:a|an|any|one|each|the same) )?(?:day|date)\b/i

/** Of which records only one may be there for the record above, or for one that a new record refers to. */
export function limitedIn(sentence: string, create: ResourceBinding): readonly OnceRule[] {
  const { path } = create.operation
  const own = spaced(singular(segmentsOf(path).at(-1) ?? ''))
  const [said, before = ''] =
    new RegExp(`${ONE_ONLY}${escaped(own)}(?: that is (\\w+))?\\b`, 'i').exec(sentence) ?? []
  if (said === undefined || own === '') return []
  const rest = sentence.replace(said, ' ')
  const [, after] = /\bthat is (\w+)$/.exec(said) ?? []
  const state = after ?? (before.trim() || undefined)
  const above = recordTemplate(create.operation)
  const parent = spaced(singular(above.at(-2) ?? ''))
  const sent = [...propertiesSent(create)]
  const references = sent.flatMap(([name]) => {
    const { of, hasIdSuffix } = referenceName(name)
    return hasIdSuffix && hasWords(rest, spaced(of)) ? [name] : []
  })
  const days = sent.filter(([, one]) => keyword(one, 'format') === 'date').map(([name]) => name)
  const isBelow = above.length > 0 && parent !== '' && hasWords(rest, parent, 's?')
  const isOfDay = EACH_DAY.test(rest)
  if ((references.length === 0 && !isBelow) || (isOfDay && days.length !== 1)) return []
  const names = [...references, ...(isOfDay ? days : [])]
  return [{ names, isPeriod: false, sentence, ...(state !== undefined && { state }) }]
}

export function propertiesSent(binding: ResourceBinding): ReadonlyMap<string, Schema> {
  return propertiesOf(schemaAt(binding.operation.body?.schema ?? {}, sentPlace(binding)) ?? {})
}
