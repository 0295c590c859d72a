import type { Operation, Schema } from '../../contract/contract.ts'
import { parseJsonText } from '../../contract/json.ts'
import { propertiesOf } from '../../contract/schema.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import { normalizeName } from '../../generate/words.ts'
import { singular } from '../../resources/reference-names.ts'
import { isObject } from '../../validation/objects.ts'
import type { ProbeResponse } from '../messages.ts'
import { plainName } from '../record-address.ts'
import { keyword, typeOf } from '../test-data/values.ts'

/** The sentences of a text without marks of code. What a status in parentheses ends is one, too, unless what follows says when it is so. */
export function sentencesOf(text: string): readonly string[] {
  const line = withEachStatus(withoutCodes(text))
    .replaceAll('`', '')
    .replace(/\s+/g, ' ')
    .replace(REFUSED, (_all, status: string, otherwise = '') =>
      otherwise === '' ? ` (${status})` : `; otherwise ${status}`,
    )
  return line.split(
    /(?<=[.;:])\s+(?!otherwise\b|else\b)|(?<=\(4\d\d\)),?\s+(?!(?:if|when|while|unless|as long as)\b)(?:and\s+)?/,
  )
}

/** A text without the codes of errors, which may be called as values of records are: "(409, code `not_open`)". */
function withoutCodes(text: string): string {
  const code = '(?:with )?(?:the )?(?:error )?code `?[\\w.-]+`?'
  return text
    .replace(new RegExp(`\\((4\\d\\d),? ${code}\\)`, 'gi'), '($1)')
    .replace(new RegExp(`\\s\\(${code}\\)`, 'gi'), '')
}

/** A refusal of what stands before it: "; this is answered with 409", "; both are refused with 422 otherwise". */
const REFUSED =
  /; (?:[\w-]+ ){1,2}(?:is|are) (?:answered|refused|rejected) (?:with|by) (?:an? )?(4\d\d)( otherwise)?(?=[.;]|$)/gi

/** A status, and the list of when it is answered: with marks, or with semicolons in one paragraph. */
const CASES =
  /\b((?:answer|refus|reject|respond|return|fail|result)\w*\b[^.;\n]*?\b(4\d\d)\b[^.;:\n]*?(?:\b(?:when|if|where)|:))[^\S\n]*:?[^\S\n]*((?:\n\s*[*-] (?:.|\n(?!\s*\n\s*[^\s*-]))*)|(?:[^\n]|\n(?!\s*\n))*;(?:[^\n]|\n(?!\s*\n))*)/gi

/** A text in which each case of a list has the status that stands before the list. */
function withEachStatus(text: string): string {
  return text.replace(CASES, (_all, head: string, status: string, list: string) => {
    const cases = list.split(/^\s*[*-] /.test(list) ? /\n\s*[*-] / : /;\s+/)
    const said = cases
      .map((one) => one.trim().replace(/[.;,]*(\s+(or|and))?$/, ''))
      .filter((one) => one !== '')
      .map((one) => {
        // What follows in the same paragraph is another sentence.
        const [own = '', ...rest] = one.split(/(?<=\w)\.\s+(?=[A-Z])/)
        const ruled = `${own.replace(/:\s+/g, ` (${status}): `)} (${status}).`
        return [ruled, ...rest.map((other) => `${other}.`)].join(' ')
      })
    return [head, ...said].join(' ')
  })
}

/** A text as a regular expression for it: names may have any letters, such as `+1`. */
export function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/** Whether a text has words. */
export function hasWords(text: string, words: string, end = ''): boolean {
  return new RegExp(`(?<!\\w)${escaped(words)}${end}(?!\\w)`, 'i').test(text)
}

/** `inProgress` and `in_progress` as `in progress`; the property `email` is an "e-mail address" in many texts. */
export function spaced(name: string): string {
  return name
    .replace(/\be-mail/gi, 'email')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[-_]/g, ' ')
    .toLowerCase()
}

/** What says that texts are compared without regard to capitals and small letters. */
export const ANY_CASE: RegExp =
  /\b(any case|case[- ]?insensitiv|ignor(es|ing) (the )?case|(without regard to|regardless of) (letter |upper |lower )?case|(in )?upper (and|or) lower case\b(?! (letter|character|digit))|(letter )?case (is |are )?(ignored|does not matter)|(whatever|no matter) (the )?(letter |upper |lower )?case)/i

/** A value of a property, and how sentences spell it. */
export type Member = readonly [value: unknown, words: string]

/** The names of properties that say in which state a record is. */
const STATE = /(^|[-_])(status|state|phase|stage)$|[a-z](Status|State|Phase|Stage)$/i

/** Names of what was, or will be, the state: `previousState` has the same values. */
const OTHER_TIME = /^(previous|prior|former|last|old|next|target|desired|expected)(?![a-z])/

/** The end of a flag that says what has become of a record. */
const PARTICIPLE = /(ed|paid|sent|sold|lost|done|given|taken|drawn|hidden)$/

/** The values of a state by their words; and `true` of a flag that is called like a state, such as `archived`. */
export function membersOf(
  name: string,
  schema: Schema,
  isState: boolean = STATE.test(name) && !OTHER_TIME.test(name),
): readonly Member[] {
  const members = (isState && keyword(schema, 'enum')) || []
  if (typeOf(schema) === 'boolean' && PARTICIPLE.test(name)) return [[true, spaced(name)]]
  return members.flatMap((one): readonly Member[] =>
    typeof one === 'string' && one.length > 2 ? [[one, spaced(one)]] : [],
  )
}

export function mentions(text: string, [, words]: Member): boolean {
  return hasWords(spaced(text), words, 's?')
}

/** Words by which a text is about records in other states, too: "also cancelled ones", "that are not archived". */
const WITH_OTHERS = /\b(also|includ\w+|even|all|not|except|other than|as well)\b/i

/** Whether a text is about records in some states, and a record is in another one: "Number of published reviews" is not about a draft. */
export function isInOtherState(record: unknown, text: string, schema: Schema): boolean {
  const sentences = sentencesOf(text).filter((one) => !WITH_OTHERS.test(one))
  return [...propertiesOf(schema)].some(([name, own]) => {
    const said = membersOf(name, own).filter((one) => mentions(sentences.join(' '), one))
    const value = isObject(record) ? record[name] : undefined
    return said.length > 0 && value !== undefined && said.every(([one]) => one !== value)
  })
}

/** Words of a rule that a schema does not state, such as "must not be greater than the capacity of the venue (422)". */
const RULE =
  /\b4\d\d\b|\b(must|may|can)(not| not)?\b|can't|\bat (most|least)\b|\b(exceed|only|unique|belong|greater|less|after|before|depend)/i

/** Words of a rule that a service breaks by a conflict, which has a status of its own. */
const CONFLICT_RULE = /^(?!.*\band\b).*\b(409|unique|already)\b/i

/** Words of a rule that no integer breaks. */
const OF_DECIMALS = /\bdecimals?\b/i

/** Words of a rule that only large values break. */
const UPPER_LIMIT =
  /\b(less|lower|smaller|fewer|exceeds?|at most|not (be )?(greater|more|larger|higher))\b/i

/** Whether a description has a rule for a property: that of the property, or a sentence about it in that of the operation. */
function hasStatedRule(
  texts: DocumentTexts,
  { id, responses }: Operation,
  [name, value]: readonly [string, unknown],
): boolean {
  const called = [name, normalizeName(name), singular(name)].map((one) => one.replaceAll('_', ' '))
  const isAbout = (sentence: string): boolean => called.some((words) => hasWords(sentence, words))
  const sentences = sentencesOf(texts.operation(id)).filter(isAbout)
  const hasConflicts = responses.some((one) => one.status === 409)
  return [...sentencesOf(texts.property(id, name)), ...sentences].some(
    (one) =>
      RULE.test(one) &&
      !(hasConflicts && CONFLICT_RULE.test(one)) &&
      !(Number.isInteger(value) && OF_DECIMALS.test(one)) &&
      !(value === 0 && UPPER_LIMIT.test(one)),
  )
}

/** Whether a service refused a body because of a property for which a description has a rule. */
export function isRefusedByRule(
  { status, request, text }: ProbeResponse,
  texts: DocumentTexts,
): boolean {
  const { operation, body = '', isInvalid } = request
  if (!operation || isInvalid || (status !== 400 && status !== 422)) return false
  // The keys of a JSON text, such as the `code` of an error, are not what it says.
  const said = plainName(text.replace(/"[^"]*"\s*:/g, ' '))
  return propertiesIn(parseJsonText(body)).some(
    (one) => said.includes(plainName(one[0])) && hasStatedRule(texts, operation, one),
  )
}

/** The properties of a body, also those inside. */
function propertiesIn(value: unknown, depth = 0): readonly (readonly [string, unknown])[] {
  if (depth > 3 || typeof value !== 'object' || value === null) return []
  const own = isObject(value) && !Array.isArray(value) ? Object.entries(value) : []
  return [...own, ...Object.values(value).flatMap((one) => propertiesIn(one, depth + 1))]
}
