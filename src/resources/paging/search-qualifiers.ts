import type { Schema } from '../../contract/contract.ts'
import { typedValue } from '../../contract/parse-text.ts'
import { itemsOf, listedValues, plainName, propertiesOf, typesIn } from '../../contract/schema.ts'
import { ABOVE, type Comparison, type RecordTest } from '../../records/selection.ts'
import { getOwn } from '../../validation/objects.ts'

// Searches in which words qualify what is searched, as those of code hosts and mail: `leak in:title state:open -label:bug created:>2026-01-01`.

/** A word with its value: `state:open`, `-label:"good first issue"`. */
const QUALIFIER = /(?<=^|\s)(-)?([A-Za-z][\w.-]*):(?:"([^"]*)"|([^\s"]+))/g

/** A place in records, and the schema of what is there. */
interface Place {
  readonly names: readonly string[]
  readonly schema: Schema
}

/**
 * What a search with such words asks of records with a schema; `undefined` when none of its words is known. The rest of the text is
 * searched in `places`. Words for what no record has ask nothing.
 */
export function readQualifiers(
  text: string,
  schema: Schema,
  places: readonly (readonly string[])[],
): readonly RecordTest[] | undefined {
  const words = wordsOf(text)
  const asked = words.map((word) => testsOf(word, schema))
  if (asked.every((tests) => tests === undefined)) return undefined
  const rest = text
    .replaceAll(QUALIFIER, '')
    .replaceAll(/["\s]+/g, ' ')
    .trim()
  const within = words.flatMap(({ name, value }) =>
    name === 'in' ? value.split(',').map(plainName) : [],
  )
  const chosen = places.filter(([name = '']) => within.includes(plainName(name)))
  const searched = chosen.length > 0 ? chosen : places
  const found: readonly RecordTest[] =
    rest === '' || searched.length === 0
      ? []
      : [{ places: searched, is: 'contains', wanted: [rest] }]

  return [...asked.flatMap((tests) => tests ?? []), ...found]
}

/** The words of such a search that ask nothing, if others do. */
export function unknownWords(text: string, schema: Schema): readonly string[] {
  const words = wordsOf(text).map((word) => ({ ...word, tests: testsOf(word, schema) }))
  if (words.every(({ tests }) => tests === undefined)) return []
  return words.flatMap(({ tests, name, value }) => (tests ? [] : `${name}:${value}`))
}

function wordsOf(text: string): readonly Word[] {
  return [...text.matchAll(QUALIFIER)].map(([, minus, name = '', quoted, plain = '']) => ({
    name: name.toLowerCase(),
    value: quoted ?? plain,
    isNot: minus !== undefined,
  }))
}

interface Word {
  readonly name: string
  readonly value: string
  readonly isNot: boolean
}

/** Words that say how a search is done, and those that name what is above the records. */
const HOW = /^(in|sort|order)$/
const ABOVE_RECORDS =
  /^(repo|repository|org|organi[sz]ation|user|owner|project|group|team|workspace|space|account)$/

/** What one word asks; `undefined` when nothing tells what it means. */
function testsOf(word: Word, schema: Schema): readonly RecordTest[] | undefined {
  const { name, value, isNot } = word
  if (HOW.test(name)) return []
  if (name === 'is') return stateTests(value, schema, isNot)
  const place = placeOf(name, schema)
  if (place) return [comparison(place, value, isNot)]
  const isAbove = ABOVE_RECORDS.test(name) && !isNot

  return isAbove ? [{ places: [[ABOVE]], is: 'equal', wanted: [value] }] : undefined
}

/** What `is:open` and `is:private` ask: a value of a property that lists it, or a flag. */
function stateTests(value: string, schema: Schema, isNot: boolean): RecordTest[] | undefined {
  for (const [name, own] of propertiesOf(schema)) {
    const listed = listedValues(own).find((one) => plainName(String(one)) === plainName(value))
    if (listed !== undefined)
      return [{ places: [[name]], is: isNot ? 'not' : 'equal', wanted: [listed] }]
    const isFlag = typesIn(own).has('boolean')
    if (isFlag && plainName(name).replace(/^is/, '') === plainName(value))
      return [{ places: [[name]], is: 'equal', wanted: [!isNot] }]
  }
  return undefined
}

/** The properties of people, which are also called by what they are to a record. */
const PEOPLE: Readonly<Record<string, readonly string[]>> = {
  author: ['author', 'user', 'creator', 'createdby'],
  from: ['from', 'sender'],
}

/** What names the record that an object in another one shows. */
const NAMES = ['login', 'username', 'full_name', 'name', 'slug', 'key', 'title', 'id']

/** The place that a word names: `labels/name` of `label`, `created_at` of `created`, `user/login` of `author`. */
function placeOf(name: string, schema: Schema): Place | undefined {
  const wanted = getOwn(PEOPLE, name) ?? [plainName(name)]
  const forms = wanted.flatMap((one) => [one, `${one}s`, `${one}at`, `${one}on`, `${one}date`])
  const properties = [...propertiesOf(schema)]
  const found = forms.flatMap((form) => properties.filter(([own]) => plainName(own) === form))
  const [property, own] = found[0] ?? []
  if (property === undefined || !own) return undefined
  const value = itemsOf(own) ?? own
  const inner = propertiesOf(value)
  if (inner.size === 0) return { names: [property], schema: value }
  const key = NAMES.find((one) => inner.has(one))

  return key === undefined ? undefined : { names: [property, key], schema: inner.get(key) ?? {} }
}

const BOUNDS: Readonly<Record<string, Comparison>> = {
  '>': 'after',
  '>=': 'from',
  '<': 'before',
  '<=': 'to',
}

/** What a value asks of a place: `open`, `>5`, or a day. */
function comparison({ names, schema }: Place, value: string, isNot: boolean): RecordTest {
  const [, sign = '', bound = ''] = /^([<>]=?)(.+)$/.exec(value) ?? []
  const is = getOwn(BOUNDS, sign)
  if (is) return { places: [names], is, wanted: [typedValue(bound, schema)] }
  const same = /^\d{4}-\d\d-\d\d/.test(value) ? 'on' : 'equal'
  const listed = listedValues(schema).find((one) => plainName(String(one)) === plainName(value))

  return {
    places: [names],
    is: isNot ? 'not' : same,
    wanted: [listed ?? typedValue(value, schema)],
  }
}
