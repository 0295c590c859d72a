import { onceByText } from '../validation/objects.ts'
import {
  cityOf,
  companyOf,
  isPerson,
  itemWord,
  kindOf,
  localeOf,
  nameOf,
  personOf,
  sentenceOf,
  slugOf,
} from './names.ts'
import type { Place } from './place.ts'
import type { RandomSource } from './random.ts'
import { list, normalizeName, QUALITIES, THINGS, WORDS } from './words.ts'

const COLOURS: readonly string[] = list('black blue green grey orange purple red white yellow')

/** What a text for a name is made of. */
interface TextParts {
  readonly place: Place
  readonly random: RandomSource
  readonly now: number
  /** The greatest length that is allowed. A country or a state of two letters is its code. */
  readonly max: number
}

type MakeText = (parts: TextParts) => string | undefined

/** A text that fits a name, such as a city for `city`; `undefined` when the name says nothing. */
export function namedText(
  place: Place,
  now: number,
  { min, max }: { readonly min: number; readonly max: number },
): string | undefined {
  const random = place.random.part('named')
  const parts = { place, random, now, max }
  for (const make of textRulesFor(normalizeName(place.name))) {
    const text = make(parts)
    if (text !== undefined && text.length >= min && text.length <= max) return text
  }
  return undefined
}

const digits = (random: RandomSource, count: number): string =>
  Array.from({ length: count }, () => random.integer(0, 9)).join('')

const iso: MakeText = ({ place, now }) =>
  new Date(momentFor(place.name, now, place)).toISOString().replace('.000', '')

const url: MakeText = ({ place, random }) => {
  const isImage = /image|img|avatar|photo|picture|icon|logo|thumb|banner|cover/.test(
    place.name.toLowerCase(),
  )
  const path = `${random.pick(WORDS)}-${random.integer(1, 999)}`
  return `https://example.com/${isImage ? `images/${path}.png` : path}`
}

const token: MakeText = ({ random }) =>
  Array.from({ length: 32 }, () => random.integer(0, 15).toString(16)).join('')

/** What a property such as `payee_name` names: the object itself if that is a payee, else another one. */
function namedIn(place: Place): Place {
  const parent = normalizeName(place.name).replace(/_name$/, '')
  if (itemWord(place).endsWith(parent)) return place
  return { ...place, parent, siblings: [], subject: place.subject.part(parent) }
}

/** Whether a property with the full name of something is beside its name, as the full name of a repository is. */
const isFullName = ({ name, siblings }: Place): boolean =>
  /^(full|display)/i.test(name) && siblings.some((one) => /^name$/i.test(one))

/** What names say, the most specific first. A rule whose text is too long or too short is skipped. */
const TEXT_RULES: readonly (readonly [name: RegExp, make: MakeText])[] = [
  [
    /e_?mail/,
    ({ place }) => {
      const { first, last } = personOf(place.subject)
      return `${first}.${last}@example.com`.toLowerCase()
    },
  ],
  [/^(first|given|fore)_?names?$/, ({ place }) => personOf(place.subject).first],
  [/^(last|sur|family)_?names?$/, ({ place }) => personOf(place.subject).last],
  [/^middle_?names?$/, ({ random }) => random.pick(localeOf(random).firstNames)],
  [
    /^(user_?name|login|nick(_?name)?|handle|screen_name)$/,
    ({ place }) => {
      const { first, last } = personOf(place.subject)
      return `${first}.${last}`.toLowerCase()
    },
  ],
  [
    /^(full|display|real|legal|contact|customer|author|owner|recipient|sender)_?name$/,
    ({ place }) => {
      if (isFullName(place) && !isPerson(place)) return nameOf(place)
      const { first, last } = personOf(place.subject)
      return `${first} ${last}`
    },
  ],
  [
    /(^|_)(phone|mobile|fax|telephone|tel|cell|msisdn)(_?(number|no))?$/,
    ({ place, random }) =>
      `+${cityOf(place.subject)?.callingCode}${digits(random, 3)}555${digits(random, 4)}`,
  ],
  [
    /(^|_)(company|organi[sz]ation|employer|vendor|merchant|brand)(_?name)?$/,
    ({ place }) => companyOf(place),
  ],
  [/(uu|gu)id$/, ({ random }) => uuid(random)],
  [
    /(url|uri|href|link|website|homepage|web_site)s?$|^(image|avatar|photo|picture|logo|icon)(_?url)?$/,
    url,
  ],
  [
    /country(_?(code|name|iso.*))?$|^nationality$/,
    ({ place, max }) => {
      const city = cityOf(place.subject)
      return max <= 3 || /code|iso/.test(normalizeName(place.name))
        ? city?.countryCode
        : city?.country
    },
  ],
  [
    /^(state|province|region)(_?(code|name))?$/,
    ({ place, max }) => {
      if (/state$/i.test(place.name) && !isAddress(place)) return undefined
      const city = cityOf(place.subject)
      return max <= 3 || /code/i.test(place.name) ? city?.stateCode : city?.state
    },
  ],
  [/city$|^town$|^locality$|city_name$/, ({ place }) => cityOf(place.subject)?.name],
  [/(zip|post(al)?)_?(code)?$/, ({ place }) => cityOf(place.subject)?.zip],
  [
    /street|^(address_?)?line_?1?$|^address_?1?$/,
    ({ random }) => `${random.integer(1, 180)} ${random.pick(localeOf(random).streets)}`,
  ],
  [/^(address_?)?line_?2$|^address_?2$/, ({ random }) => `Floor ${random.integer(1, 9)}`],
  [/currency(_?code)?$/, ({ place }) => cityOf(place.subject)?.currency],
  [/time_?zone(_?(id|name))?$|^tz$/, ({ place }) => cityOf(place.subject)?.timezone],
  [
    /^(locale|culture)(_?code)?$/,
    ({ random }) => random.pick(['en-GB', 'en-US', 'de-DE', 'fr-FR']),
  ],
  [/^(lang|language)(_?code)?$/, ({ random }) => random.pick(['en', 'de', 'fr'])],
  [/(^|_)ip(_?(v4|addr(ess)?))?$/, ({ random }) => `192.0.2.${random.integer(1, 254)}`],
  [/mac_?addr(ess)?$/, ({ random }) => `00:00:5e:00:53:${digits(random, 2)}`],
  [/^user_?agent$/, () => 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36'],
  [
    /colou?r$/,
    ({ place, random }) =>
      /hex|code/i.test(place.name) ? `#${digits(random, 6)}` : random.pick(COLOURS),
  ],
  [/(^|_)lat(itude)?$/, ({ place }) => cityOf(place.subject)?.latitude.toFixed(4)],
  [/(^|_)(lon|lng|long|longitude)$/, ({ place }) => cityOf(place.subject)?.longitude.toFixed(4)],
  [
    /(price|amount|total|cost|fee|balance|subtotal|tax)$/,
    ({ random }) => (random.integer(100, 50_000) / 100).toFixed(2),
  ],
  [/(_at|_on|_?date|_?time|timestamp|created|updated|modified)$/, iso],
  [
    /(token|secret|hash|checksum|sha\d*|md5|digest|signature|cursor|etag|api_?key|fingerprint)$/,
    token,
  ],
  [/(^|_)(mime|media|content)_?type$/, () => 'text/plain'],
  [/file_?name$/, ({ random }) => `${random.pick(WORDS)}.txt`],
  [/(^|_)path$/, ({ random }) => `/${random.pick(WORDS)}/${random.pick(WORDS)}`],
  [/version$/, ({ random }) => `${random.integer(1, 5)}.${random.integer(0, 9)}.0`],
  [/^slug$|_slug$|^handle$/, ({ place }) => slugOf(nameOf(place))],
  [/^status$|_status$|^state$/, ({ random }) => random.pick(['active', 'pending', 'inactive'])],
  [/(^|_)last_?(4|four)(_digits)?$/, ({ random }) => digits(random, 4)],
  [/^gender$|^sex$/, ({ random }) => random.pick(['female', 'male', 'other'])],
  [
    /^(job_?)?title$/,
    ({ place, random }) =>
      isPerson(place) ? random.pick(['Engineer', 'Designer', 'Manager']) : nameOf(place),
  ],
  [
    /(^|_)ids?$|(^|_)(key|code|number|no|ref|reference|sku)$/,
    ({ random }) => digits(random, 6).replace(/^0/, '1'),
  ],
  [
    /description|summary|bio|notes?$|comments?$|message|body|details?|content|text|reason|about/,
    ({ place }) => sentenceOf(place),
  ],
  [/^(label|subject|headline|caption|heading)$/, ({ place }) => nameOf(place)],
  [/^(type|object|resource_type|object_type)$/, ({ place }) => kindOf(place)],
  [
    /^(level|mode|tier|plan|class|driver|scope|visibility|channel|source|provider|method|role)$/,
    ({ random }) => random.pick(['standard', 'basic', 'default']),
  ],
  [/^(default|main|base|target)_branch$/, () => 'main'],
  [/^name$/, ({ place }) => nameOf(place)],
  [/_name$/, ({ place }) => nameOf(namedIn(place))],
]

const textRulesFor = onceByText((name) =>
  TEXT_RULES.filter(([rule]) => rule.test(name)).map(([, make]) => make),
)

/** Whether the object around a value describes a place. Elsewhere, a state is that of an order or a process. */
function isAddress(place: Place): boolean {
  return /address|location|place|shipping|billing|venue/.test(normalizeName(place.parent))
}

interface NumberLimits {
  readonly min: number | undefined
  readonly max: number | undefined
}

type MakeNumber = (place: Place, random: RandomSource, now: number) => number | undefined

/** A number that fits a name, such as a latitude; `undefined` when the name says nothing, or the limits allow no such number. */
export function namedNumber(
  place: Place,
  now: number,
  { min, max }: NumberLimits,
): number | undefined {
  const name = normalizeName(place.name)
  const random = place.random.part('named')
  const value = numberRuleFor(name)?.(place, random, now) ?? halfRange(name, random, { min, max })
  if (value === undefined || value < (min ?? value) || value > (max ?? value)) return undefined

  return value
}

/** Of a pair such as `min_price` and `max_price`, the first is the smaller one. */
function halfRange(
  name: string,
  random: RandomSource,
  { min, max }: NumberLimits,
): number | undefined {
  const low = min ?? 1
  const high = Math.min(max ?? low + 1000, low + 1000)
  const middle = (low + high) / 2
  if (/^(min|minimum|from|lower)(_|$)|_(min|minimum|from)$/.test(name)) {
    return low + random.next() * (middle - low)
  }
  if (/^(max|maximum|upper)(_|$)|_(max|maximum|to)$/.test(name)) {
    return middle + random.next() * (high - middle)
  }
  return undefined
}

const between =
  (min: number, max: number): MakeNumber =>
  (_, random) =>
    random.integer(min, max)

/** Names of numbers that are times. */
const MOMENT = /(_at|_?timestamp|_on|(^|_)(date|created|updated|modified|expires|expiry))$|_time$/

export function isMomentName(name: string): boolean {
  return MOMENT.test(normalizeName(name))
}

/** What names say, the most specific first. */
const NUMBER_RULES: readonly (readonly [name: RegExp, make: MakeNumber])[] = [
  [/(^|_)lat(itude)?$/, (place) => cityOf(place.subject)?.latitude],
  [/(^|_)(lon|lng|long|longitude)$/, (place) => cityOf(place.subject)?.longitude],
  [MOMENT, (place, _, now) => Math.floor(momentFor(place.name, now, place) / 1000)],
  [/(_ms|_millis|epoch_ms)$/, between(10, 900)],
  [/^age$|_age$/, between(18, 80)],
  [/^year$|_year$/, (_, random, now) => new Date(now).getUTCFullYear() - random.integer(0, 8)],
  [/^month$|_month$/, between(1, 12)],
  [/^day$|_day$/, between(1, 28)],
  [/^hours?$/, between(0, 23)],
  [/^(minutes?|seconds?)$/, between(0, 59)],
  [/percent(age)?$|_pct$|^progress$/, between(0, 100)],
  [/rating$|stars$/, between(1, 5)],
  [
    /(price|amount|total|cost|fee|balance|subtotal|tax|salary|budget)$/,
    (_, random) => random.integer(500, 50_000) / 100,
  ],
  [/(quantity|qty)$/, between(1, 10)],
  [/^page$|_page$|^current_page$|page_number$/, () => 1],
  [/(per_page|page_size|^limit)$/, () => 20],
  [/^offset$/, () => 0],
  // Responses of success often have the code of errors, too.
  [/^err(or)?_?(code|no|num|number)$/, () => 0],
  [/(count|num_.*|size)$/, between(1, 100)],
  [/^port$|_port$/, between(1024, 9999)],
  [/^(status|status_code|http_status)$/, () => undefined],
  [/^(width|height)$|_(width|height)$/, between(100, 1200)],
]

/** What is counted or measured: its size depends on the API, so an example says more than the name. */
const AMOUNT =
  /(price|amount|total|cost|fee|balance|subtotal|tax|salary|budget|quantity|qty|count|num_.*|size|width|height)$/

export function isAmount(name: string): boolean {
  return AMOUNT.test(normalizeName(name))
}

const numberRuleFor = onceByText((name) => NUMBER_RULES.find(([rule]) => rule.test(name))?.[1])

const DAY = 86_400_000

/** What the name of a date tells about it. The first rule that fits counts. */
const MOMENT_RULES: readonly (readonly [
  name: RegExp,
  momentOf: (times: Times, random: RandomSource) => number,
])[] = [
  [/birth|dob$/, ({ now }, random) => now - random.integer(20 * 365, 60 * 365) * DAY],
  [
    /expir|due|next|renew|deadline|schedul|valid_(to|until|thru)|estimated|eta$|trial_end/,
    ({ now }, random) => now + random.integer(2, 300) * DAY,
  ],
  [/creat|regist|joined|sign(ed)?_?up|inserted|opened|added/, ({ created }) => created],
  [
    /(^|_)(start|begin|from|since|valid_from|departure|check_?in|open|min|after)/,
    ({ created }) => created + DAY,
  ],
  [
    /(^|_)(end|until|to|stop|arrival|return|check_?out|close|max|before)(_|$|s|ed|ing)/,
    ({ created }, random) => created + random.integer(2, 12) * DAY,
  ],
  [
    /updat|modif|edit|changed|last|delet|remov|archiv|cancel|complet|finish|closed/,
    ({ now, created }, random) => created + (now - created) * (0.5 + random.next() / 2.1),
  ],
]

interface Times {
  readonly now: number
  /** When the object that contains the date was created. */
  readonly created: number
}

/**
 * A plausible date for a name, in epoch milliseconds. Dates of one object fit each other: it is created before it is updated, and
 * it starts before it ends.
 */
export function momentFor(
  name: string,
  now: number,
  { random, subject }: { readonly random: RandomSource; readonly subject: RandomSource },
): number {
  const created = now - subject.part('created').integer(30 * DAY, 700 * DAY)
  const normalized = normalizeName(name)
  const [, rule] = MOMENT_RULES.find(([known]) => known.test(normalized)) ?? []
  const moment = rule
    ? rule({ now, created }, random)
    : created + Math.min(now - created, random.integer(0, 25 * DAY))

  return Math.floor(moment / 1000) * 1000
}

/** Words that are written with a capital letter, such as "Amber bridge". */
export function phrase(random: RandomSource, count = 2): string {
  const words = Array.from({ length: count - 1 }, () => random.pick(QUALITIES))
  const text = [...new Set(words), random.pick(THINGS)].join(' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** A UUID of version 4. */
export function uuid(random: RandomSource): string {
  const digit = (max = 15): string => random.integer(0, max).toString(16)
  return 'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx'.replace(/[xy]/g, (kind) =>
    kind === 'x' ? digit() : (8 + random.integer(0, 3)).toString(16),
  )
}
