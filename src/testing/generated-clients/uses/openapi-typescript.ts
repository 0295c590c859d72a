import createClient from 'openapi-fetch'
import type { paths } from '../generated/openapi-typescript.ts'

/** Lists, creates without a status, reads, and gets one error. */
export async function use(baseUrl: string, key: string) {
  const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } })

  const { data: listed } = await client.GET('/pets', { params: { query: { limit: 2 } } })
  const { data: created } = await client.POST('/pets', { body: { name: 'Rex', categoryId: 3 } })
  const path = { petId: created?.id ?? 0 }
  const { data: read } = await client.GET('/pets/{petId}', { params: { path } })
  const { error } = await client.GET('/pets', { params: { query: { limit: 500 } } })

  return { listed: listed?.length, created, read, refused: error?.code }
}
