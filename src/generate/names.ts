import { type City, ENGLISH, type Locale } from './locale.ts'
import { type Place, singular } from './place.ts'
import type { RandomSource } from './random.ts'
import { list, normalizeName, QUALITIES, THINGS } from './words.ts'

// What an object is called: a person, a company, a city or a thing. All names in one object are those of the same one.

/** The last word of the name of what contains a value: `repos` of `user/repos` and of `repos/{owner}`. */
function parentWord({ parent }: Place): string {
  const words = parent.split('/').filter((word) => !word.includes('{'))
  return normalizeName(words.at(-1) ?? parent)
}

/** The name of one item of the list that contains a value: `repo` of `user/repos`. */
export function itemWord(place: Place): string {
  return singular(parentWord(place))
}

/** The word for the kind of an object: that of one item, or, in JSON:API, that of the collection, which a relationship is called as. */
export function kindOf(place: Place): string {
  const { parent, path, siblings } = place
  const isRecord = siblings.includes('attributes') || siblings.includes('relationships')
  const [related = ''] = parent === 'data' ? path.slice(-3) : []
  if (path.includes('relationships') && related !== '') return plural(related)
  if (!isRecord || parent === 'data') return itemWord(place)

  return parent.split('/').findLast((word) => !word.includes('{')) ?? parent
}

function plural(word: string): string {
  return /s$/.test(word) ? word : word.replace(/y$/, 'ie').concat('s')
}

const PERSON =
  /(user|person|people|author|owner|customer|contact|member|employee|client|sender|recipient|guest|passenger|patient|driver|student|teacher|profile|subscriber|lead|attendee|assignee|reporter|creator|collaborator|follower|reviewer)s?(_(info|details?|data|record|account|list|item))*$/
const COMPANY = /(compan(y|ies)|organi[sz]ation|vendor|supplier|merchant|business|brand)(s|es)?$/
const TITLED = /^(title|subject|headline)$/
const PERSONAL = /^(e_?mail(_address)?|first_?name|last_?name|given_?name|family_?name|birth.*)$/

/** Whether the object around a value describes a person: by its name, or by the properties beside it. */
export function isPerson(place: Place): boolean {
  const parent = parentWord(place)
  if (PERSON.test(parent)) return true
  const names = place.siblings.map(normalizeName)
  return (
    !(COMPANY.test(parent) || names.some((one) => TITLED.test(one))) &&
    names.some((one) => PERSONAL.test(one))
  )
}

/** The person whom the values of an object describe. */
export function personOf(subject: RandomSource): { readonly first: string; readonly last: string } {
  const { firstNames, lastNames } = localeOf(subject)
  const [first = 'Ada', last = 'Adams'] = subject.pickPair(firstNames, lastNames)

  return { first, last }
}

export function localeOf({ locale = ENGLISH }: RandomSource): Locale {
  return locale
}

/** The city that the values of an object describe. */
export function cityOf(subject: RandomSource): City | undefined {
  return subject.part('city').pick(localeOf(subject).cities)
}

const COMPANIES: readonly string[] = ['Ltd', 'Group', 'Labs', 'Partners', 'Studio']

export function companyOf({ subject }: Place): string {
  const [name, kind] = subject.pickPair(localeOf(subject).lastNames, COMPANIES)
  return `${name} ${kind}`
}

/** The two words that everything in an object is about. */
function wordsOf(subject: RandomSource): readonly [quality: string, thing: string] {
  const [quality = 'amber', thing = 'bridge'] = subject.pickPair(QUALITIES, THINGS)
  return [quality, thing]
}

/** How things of a kind are called: `{1}` and `{2}` are the words of the object, `{kind}` is one of the words of the kind. */
const KINDS: readonly (readonly [parent: RegExp, words: readonly string[], name: string])[] = [
  [
    /(task|todo|issue|ticket|bug|milestone|reminder|checklist|card|defect|incident|request)(_?items?)?(e?s)?$/,
    list('Review Update Fix Plan Prepare Check Replace'),
    '{kind} the {1} {2}',
  ],
  [
    /(product|item|goods|listing|article|part|variant|sku|material)s?$/,
    list('lamp chair table mug shelf bottle blanket basket'),
    '{1} {2} {kind}',
  ],
  [
    /(post|stor(y|ie)|blog|news|document|page|note|report|paper|guide|topic|thread|discussion|question|message|announcement)s?$/,
    list('On About Notes_on Inside Return_to'),
    '{kind} the {1} {2}',
  ],
  [
    /(event|meeting|session|webinar|conference|appointment|class(es)?|course|lesson|workshop)s?$/,
    list('workshop meeting evening course'),
    '{1} {2} {kind}',
  ],
  [
    /(song|track|album|playlist|movie|film|show|book|video|episode|game|series|chapter)s?$/,
    list('The A Beyond_the Under_the'),
    '{kind} {1} {2}',
  ],
]

/** The name of what an object describes, in words that fit it. */
export function nameOf(place: Place): string {
  const parent = parentWord(place)
  if (COMPANY.test(parent)) return companyOf(place)
  if (isPerson(place)) {
    const { first, last } = personOf(place.subject)
    return `${first} ${last}`
  }
  if (/(city|cities|towns?)$/.test(parent)) return cityOf(place.subject)?.name ?? ''
  if (/countr(y|ies)$/.test(parent)) return cityOf(place.subject)?.country ?? ''
  const [quality, thing] = wordsOf(place.subject)
  const [, words = [], form = '{1} {2}'] = KINDS.find(([kind]) => kind.test(parent)) ?? []
  const kind = place.subject.part('kind').pick(words)?.replace('_', ' ') ?? ''

  return capitalized(form.replace('{kind}', kind).replace('{1}', quality).replace('{2}', thing))
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

const SENTENCES: readonly string[] = [
  'A short note that explains the {1} {2}.',
  'The {1} {2} is ready and waits for a final check.',
  'Please read the details of the {1} {2} before you continue.',
  'The {1} {2} was updated after the last review.',
  'The {1} {2} works as described in the manual.',
]

/** A sentence about what an object describes. */
export function sentenceOf({ random, subject }: Place): string {
  const [quality, thing] = wordsOf(subject)
  const form = random.part('sentence').pick(SENTENCES) ?? ''

  return form.replace('{1}', quality).replace('{2}', thing)
}

/** A name in lower case, with a character between its words. */
export function slugOf(name: string, separator = '-'): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim()
    .replaceAll(' ', separator)
}

/**
 * A name in the form of an example: `amber-bridge` for `my-volume`, `AMBER_BRIDGE` for `MY_KEY`, `amber-bridge.txt` for `a.txt`,
 * `/amber_bridge` for `/my_box`, `amber/bridge` for `octocat/hello`.
 */
export function inFormOf(sample: string, name: string): string {
  const [, start = '', stem = '', ending = ''] =
    /^([/@#:]?)(.*?)((?<=^[\w/@#:-]+)\.[a-z][a-z0-9]{1,4})?$/s.exec(sample) ?? []
  if (/\s/.test(stem)) return name
  if (/^[\w.-]+\/[\w.-]+$/.test(stem)) return slugOf(name).replace('-', '/')
  const separator = /[A-Za-z0-9]([-_.:])[A-Za-z0-9]/.exec(stem)?.[1]
  if (/^[A-Z0-9_-]{2,}$/.test(stem)) return start + slugOf(name, separator ?? '_').toUpperCase()
  const isLower = stem === stem.toLowerCase() || start !== '' || ending !== ''
  if (!separator && !isLower) return name

  return start + slugOf(name, separator) + ending
}
