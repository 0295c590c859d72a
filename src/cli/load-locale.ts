import { readdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname } from 'node:path'
import { CITIES, type City, ENGLISH, type Locale } from '../generate/locale.ts'
import { isObject } from '../validation/objects.ts'
import { UsageError, unknownName } from '../validation/usage-error.ts'

/**
 * Loads the words of a language for the option `locale`, so that generated names and places are those of a country. The names are those
 * of faker's locales, such as `de` or `pt_BR`. Rejects with a UsageError for an unknown one.
 *
 * @example
 * const sandbox = createSandbox({ contract, locale: await loadLocale('de') })
 */
export async function loadLocale(name: string): Promise<Locale> {
  const known = await localeNames()
  if (!known.includes(name)) {
    throw new UsageError({
      code: 'unknown_locale',
      task: 'load the locale',
      ...unknownName('locale', name, known),
    })
  }
  const { faker } = await import(`@faker-js/faker/locale/${name}`)
  const definitions: unknown = faker.rawDefinitions

  return {
    name,
    firstNames: wordsAt(definitions, ['person', 'first_name']) ?? ENGLISH.firstNames,
    lastNames: wordsAt(definitions, ['person', 'last_name']) ?? ENGLISH.lastNames,
    streets: wordsAt(definitions, ['location', 'street_name']) ?? ENGLISH.streets,
    cities: citiesOf(definitions, name),
    definitions,
  }
}

async function localeNames(): Promise<readonly string[]> {
  const english = createRequire(import.meta.url).resolve('@faker-js/faker/locale/en')
  const files = await readdir(dirname(english))
  const names = files.flatMap((file) => /^([a-z]\w*)\.c?js$/i.exec(basename(file))?.[1] ?? [])

  return [...new Set(names)].filter((one) => one !== 'base')
}

/** The most words of one kind. Faker has thousands of some. */
const MOST = 200

/** The texts in a part of faker's definitions: a list, or lists for men, women and everyone. */
function wordsAt(definitions: unknown, path: readonly string[]): readonly string[] | undefined {
  const found = path.reduce<unknown>(
    (value, key) => (isObject(value) ? value[key] : undefined),
    definitions,
  )
  const lists = isObject(found) ? Object.values(found) : [found]
  const words = lists
    .flat()
    .filter((one): one is string => typeof one === 'string' && !one.includes('{{'))
  const step = Math.max(1, Math.ceil(words.length / MOST))

  return words.length > 0 ? words.filter((_, at) => at % step === 0) : undefined
}

/** The cities of a locale. What faker does not know of them is that of a city in the country, else of any. */
function citiesOf(definitions: unknown, name: string): readonly City[] {
  const names = wordsAt(definitions, ['location', 'city_name'])
  if (!names) return CITIES
  const locale = new Intl.Locale(name.split('_').slice(0, 2).join('-'))
  const countryCode = locale.maximize().region ?? 'US'
  const [fallback] = CITIES
  const base = CITIES.find((city) => city.countryCode === countryCode) ?? fallback
  const states = wordsAt(definitions, ['location', 'state']) ?? []
  const [form = '#####'] = wordsAt(definitions, ['location', 'postcode']) ?? []
  const country =
    new Intl.DisplayNames([locale.language], { type: 'region' }).of(countryCode) ?? countryCode

  return names.flatMap((city, at) => {
    const zip = form.replace(/[#?]/g, (_, place: number) => String(1 + ((at + place * 3) % 9)))
    const state = states[at % Math.max(1, states.length)] ?? city
    return base ? [{ ...base, name: city, state, country, countryCode, zip }] : []
  })
}
