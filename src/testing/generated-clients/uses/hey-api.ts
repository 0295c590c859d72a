import { createPet, getPet, listPets } from '../generated/hey-api'
import { createClient } from '../generated/hey-api/client'

/** Lists, creates without a status, reads, and gets one error. */
export async function use(baseUrl: string, key: string) {
  const client = createClient({ baseUrl, auth: key })

  const { data: listed } = await listPets({ client, query: { limit: 2 } })
  const { data: created } = await createPet({ client, body: { name: 'Rex', categoryId: 3 } })
  const { data: read } = await getPet({ client, path: { petId: created?.id ?? 0 } })
  const { error } = await listPets({ client, query: { limit: 500 } })

  return { listed: listed?.length, created, read, refused: error?.code }
}
