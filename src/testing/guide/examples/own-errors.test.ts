import { createSandbox } from 'pet-sandbox'
import { loadContract } from 'pet-sandbox/load'
import { expect, test } from 'vitest'

const sandbox = createSandbox({ contract: await loadContract(`${import.meta.dirname}/teas.yaml`) })

function addTea(headers: Record<string, string> = {}): Promise<Response> {
  const body = '{"grams":50}'
  const type = { 'Content-Type': 'application/json' }
  return sandbox.fetch(
    new Request('http://localhost/teas', {
      method: 'POST',
      headers: { ...type, ...headers },
      body,
    }),
  )
}

test('an error has the status, the media type and the schema of the document', async () => {
  const response = await addTea()

  expect(response.status).toBe(422)
  expect(response.headers.get('Content-Type')).toBe('application/problem+json')
  expect(await response.json()).toEqual({
    type: 'about:blank',
    title: 'Unprocessable Content',
    status: 422,
    detail: 'body.name is required',
    errors: [{ detail: 'body.name is required', pointer: '#/name' }],
  })
})

test('a request can ask for any documented status', async () => {
  const response = await addTea({ Prefer: 'code=418' })

  expect(response.status).toBe(418)
  expect(await response.json()).toMatchObject({ title: 'Teapot', detail: 'Use a kettle.' })
})
