import createClient from 'openapi-fetch'
import type { components, operations, paths } from './schema.d.ts'

export type Pet = components['schemas']['Pet']
export type NewPet = components['schemas']['NewPet']
export type Status = components['schemas']['PetStatus']
type ListQuery = NonNullable<operations['listPets']['parameters']['query']>

/** A page of animals, and the cursor of the next page if there is one. */
export interface Page {
  readonly pets: readonly Pet[]
  readonly next?: string
}

/** An error response of the store. */
export class StoreError extends Error {
  /** The seconds of `Retry-After`. */
  readonly retryAfter: number | undefined

  constructor(message: string, retryAfter?: number) {
    super(message)
    this.retryAfter = retryAfter
  }
}

export interface PetClient {
  list(query: ListQuery): Promise<Page>
  add(pet: NewPet): Promise<Pet>
}

/** A client of the store at `baseUrl`. */
export function createPetClient(baseUrl: string, key: string): PetClient {
  const api = createClient<paths>({
    baseUrl,
    headers: { Authorization: `Bearer ${key}` },
    // Looked up for each request, because MSW may replace it after this line has run.
    fetch: (request) => globalThis.fetch(request),
  })

  return {
    async list(query) {
      const { data, error, response } = await api.GET('/pets', { params: { query } })
      if (!data) throw toStoreError(error, response)
      const next = nextCursor(response.headers.get('Link'))
      return next === undefined ? { pets: data } : { pets: data, next }
    },
    async add(pet) {
      const { data, error, response } = await api.POST('/pets', { body: pet })
      if (!data) throw toStoreError(error, response)
      return data
    },
  }
}

/** The cursor in `<https://…/pets?cursor=…>; rel="next"` (RFC 8288). */
function nextCursor(link: string | null): string | undefined {
  const [, address] = /<([^>]*)>;\s*rel="next"/.exec(link ?? '') ?? []
  return address === undefined
    ? undefined
    : (new URL(address).searchParams.get('cursor') ?? undefined)
}

function toStoreError(
  { message }: components['schemas']['Error'],
  { headers }: Response,
): StoreError {
  const seconds = headers.get('Retry-After')
  return new StoreError(message, seconds === null ? undefined : Number(seconds))
}
