import { list } from './words.ts'

/** The words of a language that names of people, companies and places are made of. */
export interface Locale {
  /** The name of the locale in faker, such as `de` or `pt_BR`. */
  readonly name: string
  readonly firstNames: readonly string[]
  readonly lastNames: readonly string[]
  readonly streets: readonly string[]
  readonly cities: readonly City[]
  /** All words of faker, for `x-faker` hints; default: those of English. */
  readonly definitions?: unknown
}

const FIRST_NAMES: readonly string[] = list(
  'Ada Amara Anna Ben Carla Chen Daniel Elena Emma Farid Grace Hanna Ines Ivan Jonas Julia Kofi Lea Liam Lucia Maria Mateo ' +
    'Maya Nina Noah Olivia Omar Paul Priya Rosa Samuel Sara Sofia Tom Yuki Zoe',
)

const LAST_NAMES: readonly string[] = list(
  'Adams Baker Berg Costa Diaz Fischer Garcia Haas Ito Jensen Keller Khan Kim Larsen Lopez Meyer Mensah Moreau Novak ' +
    'Okafor Patel Quinn Rossi Sato Schmidt Silva Smith Tanaka Vargas Weber Wong Young',
)

/** A city, and where it is. */
export interface City {
  readonly name: string
  readonly state: string
  readonly stateCode: string
  readonly country: string
  readonly countryCode: string
  readonly zip: string
  readonly latitude: number
  readonly longitude: number
  readonly timezone: string
  readonly currency: string
  readonly callingCode: string
}

const CITY_LINES: readonly (readonly [text: string, latitude: number, longitude: number])[] = [
  ['Berlin|Berlin|BE|Germany|DE|10115|Europe/Berlin|EUR|49', 52.52, 13.405],
  ['Lyon|Rhône|RH|France|FR|69001|Europe/Paris|EUR|33', 45.764, 4.8357],
  ['Leeds|England|EN|United Kingdom|GB|LS1 4DY|Europe/London|GBP|44', 53.8008, -1.5491],
  ['Portland|Oregon|OR|United States|US|97201|America/Los_Angeles|USD|1', 45.5152, -122.6784],
  ['Boston|Massachusetts|MA|United States|US|02108|America/New_York|USD|1', 42.3601, -71.0589],
  ['Toronto|Ontario|ON|Canada|CA|M5H 2N2|America/Toronto|CAD|1', 43.6532, -79.3832],
  ['Osaka|Osaka|OS|Japan|JP|530-0001|Asia/Tokyo|JPY|81', 34.6937, 135.5023],
  ['Melbourne|Victoria|VI|Australia|AU|3000|Australia/Melbourne|AUD|61', -37.8136, 144.9631],
]

export const CITIES: readonly City[] = CITY_LINES.map(([text, latitude, longitude]) => {
  const cells = text.split('|')
  const [name = '', state = '', stateCode = '', country = '', countryCode = '', zip = ''] = cells
  const [timezone = '', currency = '', callingCode = ''] = cells.slice(6)
  return {
    ...{ name, state, stateCode, country, countryCode, zip },
    ...{ timezone, currency, callingCode, latitude, longitude },
  }
})

const STREETS: readonly string[] = list(
  'Bridge_Street Cedar_Lane Church_Road Garden_Street Harbour_Road High_Street Linden_Avenue Mill_Lane Park_Avenue Station_Road',
).map((one) => one.replace('_', ' '))

/** The words of this sandbox, without those of faker. */
export const ENGLISH: Locale = {
  name: 'en',
  firstNames: FIRST_NAMES,
  lastNames: LAST_NAMES,
  streets: STREETS,
  cities: CITIES,
}
