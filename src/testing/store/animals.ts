import { expect, vi } from 'vitest'
import type { StartedCommand } from '../command.ts'
import type { JsonResponse, Pet } from '../responses.ts'
import { runParallel, send } from './servers.ts'

/** Creates an animal of this name. */
export function createAnimal(server: StartedCommand, name: string): Promise<JsonResponse<Pet>> {
  return send(server, 'POST', '/pets', { body: { name, categoryId: 1, status: 'pending' } })
}

/** Creates a record as soon as the store serves, and resolves with all responses. */
export async function createUntilServed(
  server: StartedCommand,
): Promise<readonly JsonResponse<Pet>[]> {
  const responses: JsonResponse<Pet>[] = []
  while (responses.at(-1)?.status !== 201) responses.push(await createAnimal(server, 'After'))

  return responses
}

/** The animals of the successful responses to creations. */
export function createdBy(responses: readonly JsonResponse<Pet>[]): readonly Pet[] {
  return responses.filter(({ status }) => status === 201).map(({ body }) => body)
}

/** Reads all animals, page by page. */
export async function listAnimals(server: StartedCommand, query = ''): Promise<readonly Pet[]> {
  const animals: Pet[] = []
  for (let path: string | undefined = `/pets?limit=100${query}`; path; ) {
    const { status, headers, body } = await send<Pet[]>(server, 'GET', path)
    expect(status).toBe(200)
    animals.push(...body)
    const next = /<[^>]*(\/pets\?[^>]*)>; rel="next"/.exec(headers.get('Link') ?? '')
    path = next?.[1]
  }
  return animals
}

/** Checks that all animals are there, that no id exists twice, and that indexes have the same records. */
export async function expectKept(
  server: StartedCommand,
  acknowledged: readonly Pet[],
): Promise<void> {
  const all = await listAnimals(server)
  const ids = all.map(({ id }) => id)
  const names = new Map(all.map(({ id, name }) => [id, name]))
  const lost = acknowledged.filter(({ id, name }) => names.get(id) !== name)
  expect(lost).toEqual([])
  expect(new Set(ids).size).toBe(ids.length)
  const byStatus = await Promise.all(
    ['available', 'pending', 'sold'].map((status) => listAnimals(server, `&status=${status}`)),
  )
  expect(
    byStatus
      .flat()
      .map(({ id }) => id)
      .toSorted(byNumber),
  ).toEqual(ids.toSorted(byNumber))
}

function byNumber(one: number, other: number): number {
  return one - other
}

/** Checks that a response is the 503 of a server whose store is away. */
export function expectUnavailable({ status, headers, body }: JsonResponse<unknown>): void {
  expect(status).toBe(503)
  expect(Number(headers.get('Retry-After'))).toBeGreaterThan(0)
  expect(body).toMatchObject({ code: 'service_unavailable', status: 503 })
}

/** Checks that a server creates records again, and that nothing acknowledged is lost. */
export async function expectGoesOn(
  server: StartedCommand,
  acknowledged: readonly Pet[],
): Promise<void> {
  const response = await vi.waitFor(async () => {
    const created = await createAnimal(server, 'After')
    expect(created.status).toBe(201)
    return created
  }, 60_000)
  await expectKept(server, [...acknowledged, ...createdBy([response])])
}

/** The names of all animals. */
export async function namesOf(server: StartedCommand): Promise<readonly string[]> {
  return (await listAnimals(server)).map(({ name }) => name)
}

/** How many clients create records at the same time. */
const CLIENTS = 12
/** How many records they create. */
export const REQUESTS = 200

/** Creates many records, and tells when a quarter of them exist. */
export function createMany(server: StartedCommand): {
  readonly hasBegun: Promise<void>
  readonly responses: Promise<readonly JsonResponse<Pet>[]>
} {
  let begin = (): void => undefined
  const hasBegun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const responses = runParallel(REQUESTS, CLIENTS, async (index) => {
    if (index === REQUESTS / 4) begin()
    return createAnimal(server, `Fern ${index}`)
  })
  return { hasBegun, responses }
}
