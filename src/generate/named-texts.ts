import { uuid } from './format-texts.ts'
import { momentFor } from './moments.ts'
import { normalizeName } from './name-words.ts'
import { cityOf, personOf } from './people.ts'
import { phrase } from './phrase.ts'
import type { Place } from './place.ts'
import type { RandomSource } from './random-source.ts'
import { COLOURS, SENTENCES, WORDS } from './words.ts'

/** What a text for a name is made of. */
interface Parts {
  readonly place: Place
  readonly random: RandomSource
  readonly now: number
  /** The greatest length that is allowed. A country or a state of two letters is its code. */
  readonly max: number
}

type Make = (parts: Parts) => string | undefined

/** A text that fits a name, such as a city for `city`; `undefined` when the name says nothing. */
export function namedText(
  place: Place,
  now: number,
  { min, max }: { readonly min: number; readonly max: number },
): string | undefined {
  const random = place.random.part('named')
  const parts = { place, random, now, max }
  const name = normalizeName(place.name)
  for (const [rule, make] of RULES) {
    if (!rule.test(name)) continue
    const text = make(parts)
    if (text !== undefined && text.length >= min && text.length <= max) return text
  }
  return undefined
}

const isPerson = (name: string): boolean =>
  /user|person|people|author|owner|customer|contact|member|employee|client|sender|recipient|guest|passenger|patient|driver|student|teacher/.test(
    name,
  )

const nameOfThing: Make = ({ place, random }) => {
  const parent = normalizeName(place.parent)
  const { first, last } = personOf(place.subject)
  if (isPerson(parent)) return `${first} ${last}`
  if (/compan|organi[sz]ation|vendor|supplier|merchant|business/.test(parent))
    return companyOf(place)
  if (/city|town/.test(parent)) return cityOf(place.subject)?.name
  if (/country/.test(parent)) return cityOf(place.subject)?.country
  return phrase(random)
}

function companyOf(place: Place): string {
  const { subject } = place
  const name = subject.part('company').pick(subject.locale.lastNames) ?? 'Adams'
  return `${name} ${subject.part('kind').pick(['Ltd', 'Group', 'Labs', 'Partners']) ?? 'Ltd'}`
}

const digits = (random: RandomSource, count: number): string =>
  Array.from({ length: count }, () => random.integer(0, 9)).join('')

const iso: Make = ({ place, now }) =>
  new Date(momentFor(place.name, now, place)).toISOString().replace('.000', '')

const url: Make = ({ place, random }) => {
  const isImage = /image|img|avatar|photo|picture|icon|logo|thumb|banner|cover/.test(
    place.name.toLowerCase(),
  )
  const path = `${random.pick(WORDS)}-${random.integer(1, 999)}`
  return `https://example.com/${isImage ? `images/${path}.png` : path}`
}

const token: Make = ({ random }) =>
  Array.from({ length: 32 }, () => random.integer(0, 15).toString(16)).join('')

const slug: Make = ({ random }) => `${random.pick(WORDS)}-${random.pick(WORDS)}`

/** What names say, the most specific first. A rule whose text is too long or too short is skipped. */
const RULES: readonly (readonly [name: RegExp, make: Make])[] = [
  [
    /e_?mail/,
    ({ place }) => {
      const { first, last } = personOf(place.subject)
      return `${first}.${last}@example.com`.toLowerCase()
    },
  ],
  [/^(first|given|fore)_?names?$/, ({ place }) => personOf(place.subject).first],
  [/^(last|sur|family)_?names?$/, ({ place }) => personOf(place.subject).last],
  [/^middle_?names?$/, ({ random }) => random.pick(random.locale.firstNames)],
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
      if (/state$/.test(place.name) && !isAddress(place)) return undefined
      const city = cityOf(place.subject)
      return max <= 3 || /code/i.test(place.name) ? city?.stateCode : city?.state
    },
  ],
  [/city$|^town$|^locality$|city_name$/, ({ place }) => cityOf(place.subject)?.name],
  [/(zip|post(al)?)_?(code)?$/, ({ place }) => cityOf(place.subject)?.zip],
  [
    /street|^(address_?)?line_?1?$|^address_?1?$/,
    ({ random }) => `${random.integer(1, 180)} ${random.pick(random.locale.streets)}`,
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
  [/^slug$|_slug$|^handle$/, slug],
  [/^status$|_status$|^state$/, ({ random }) => random.pick(['active', 'pending', 'inactive'])],
  [/^gender$|^sex$/, ({ random }) => random.pick(['female', 'male', 'other'])],
  [
    /^(job_?)?title$/,
    ({ place, random }) =>
      isPerson(normalizeName(place.parent))
        ? random.pick(['Engineer', 'Designer', 'Manager'])
        : phrase(random, 3),
  ],
  [
    /(^|_)ids?$|(^|_)(key|code|number|no|ref|reference|sku)$/,
    ({ random }) => digits(random, 6).replace(/^0/, '1'),
  ],
  [
    /description|summary|bio|notes?$|comments?$|message|body|details?|content|text|reason|about/,
    ({ random }) => random.pick(SENTENCES),
  ],
  [/^name$|_name$/, nameOfThing],
]

/** Whether the object around a value describes a place. Elsewhere, a state is that of an order or a process. */
function isAddress(place: Place): boolean {
  return /address|location|place|shipping|billing|venue/.test(normalizeName(place.parent))
}
