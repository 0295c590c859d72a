import { createPet, getPet, listPets } from '../generated/orval'

/** Lists, creates without a status, reads, and gets one error. The generator already has the base URL. */
export async function use(_baseUrl: string, key: string) {
  const options = { headers: { Authorization: `Bearer ${key}` } }

  const listed = await listPets({ limit: 2 }, options)
  const created = await createPet({ name: 'Rex', categoryId: 3 }, options)
  const read = await getPet(created.status === 201 ? created.data.id : 0, options)
  const failed = await listPets({ limit: 500 }, options)

  return {
    listed: listed.status === 200 ? listed.data.length : undefined,
    created: created.status === 201 ? created.data : undefined,
    read: read.status === 200 ? read.data : undefined,
    refused: failed.status === 400 ? failed.data.code : undefined,
  }
}
