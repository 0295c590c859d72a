import { expect, test } from 'vitest'
import { openControl } from '../testing/control.ts'
import { loadDocumentOf } from '../testing/load-document-of.ts'

test('the list of accounts has the latest thousand credentials that are no keys', async () => {
  const paths = { '/pets': { get: { responses: { '200': { description: 'All' } } } } }
  const components = { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } }
  const contract = await loadDocumentOf(paths, { components, security: [{ token: [] }] })
  const plans = { free: { minute: 2, day: 100 } }
  const { sandbox, callControl } = openControl({}, { contract, auth: 'any', plans })
  for (let index = 0; index < 1010; index += 1) {
    const headers = { Authorization: `Bearer token-${index}` }
    await sandbox.fetch(new Request('http://localhost/pets', { headers }))
  }

  const { body } = await callControl<{ key: string }[]>('GET', '/accounts')

  expect(body).toHaveLength(1000)
  expect(body.at(-1)?.key).toBe('…1009')
})
