import { join } from 'node:path'
import { createSandbox } from 'pet-sandbox'
import { loadContract } from 'pet-sandbox/load'
import { beforeEach, expect, test } from 'vitest'

const contract = await loadContract(join(import.meta.dirname, 'labels.yaml'))
const sandbox = createSandbox({ contract })

beforeEach(() => sandbox.reset())

async function send(method: string, path: string, body?: object) {
  const request = new Request(`https://labels.example.com/v1${path}`, {
    method,
    headers: { 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  const response = await sandbox.fetch(request)
  const text = await response.text()
  return { status: response.status, body: JSON.parse(text), headers: response.headers }
}

// region taken
test('a taken name is shown at its field', async () => {
  sandbox.force({ operation: 'createLabel', status: 409, fields: { name: 'is taken' } })

  const { status, body } = await send('POST', '/labels', { name: 'bug' })

  expect(status).toBe(409)
  expect(body).toEqual({
    message: 'body.name is taken',
    errors: [{ field: 'name', code: 'already_exists' }],
  })
})
// endregion

test('an example, and a part of the body', async () => {
  // region example
  sandbox.force({
    operation: 'createLabel',
    example: 'taken',
    body: { message: 'Choose another name.' },
  })
  // endregion
  const { status, body } = await send('POST', '/labels', { name: 'bug' })

  expect(status).toBe(409)
  expect(body).toEqual({
    message: 'Choose another name.',
    errors: [{ field: 'name', code: 'already_exists' }],
  })
})

test('the page of a proxy', async () => {
  // region proxy
  sandbox.force({
    status: 502,
    body: '<h1>Bad Gateway</h1>',
    headers: { 'Content-Type': 'text/html' },
  })
  // endregion
  const response = await sandbox.fetch(new Request('https://labels.example.com/v1/labels'))

  expect(response.status).toBe(502)
  expect(await response.text()).toBe('<h1>Bad Gateway</h1>')
})

// region success
test('a label that is created later is there', async () => {
  sandbox.force({ operation: 'createLabel', status: 202, body: { job: 'job-1' } })

  const { status, body } = await send('POST', '/labels', { name: 'bug' })
  const labels = await sandbox.collection('labels').list()

  expect({ status, body }).toEqual({ status: 202, body: { job: 'job-1' } })
  expect(labels.at(-1)).toMatchObject({ name: 'bug' })
})
// endregion

// region lost
test('the client does not create a label twice when the answer is lost', async () => {
  sandbox.force({ operation: 'createLabel', fault: 'reset', times: 1 })

  await expect(send('POST', '/labels', { name: 'bug' })).rejects.toThrow()
  const labels = await sandbox.collection('labels').list()

  expect(labels.filter(({ name }) => name === 'bug')).toHaveLength(1)
})
// endregion

test('a part of the body decides', async () => {
  // region where
  sandbox.force({
    operation: 'createLabel',
    where: { body: { color: 'plaid' } },
    fields: { color: 'is no color' },
  })
  // endregion
  const statuses = [
    (await send('POST', '/labels', { name: 'bug', color: 'red' })).status,
    (await send('POST', '/labels', { name: 'bug', color: 'plaid' })).status,
  ]

  expect(statuses).toEqual([201, 422])
})

test('a series', async () => {
  // region series
  sandbox.force({
    operation: 'listLabels',
    series: [503, { status: 500, latency: '20ms' }, 'next'],
  })
  // endregion
  const statuses: number[] = []
  for (let call = 0; call < 4; call += 1) statuses.push((await send('GET', '/labels')).status)

  expect(statuses).toEqual([503, 500, 200, 200])
})

// region flow
test('a label is visible after the second reading', async () => {
  const labels = { flow: 'indexing' }
  sandbox.force({ ...labels, operation: 'createLabel', to: 'waiting' })
  sandbox.force({ ...labels, operation: 'getLabel', from: 'waiting', to: 'done', status: 404 })

  const { body } = await send('POST', '/labels', { name: 'bug' })
  const first = await send('GET', `/labels/${body.id}`)
  const second = await send('GET', `/labels/${body.id}`)

  expect([first.status, second.status]).toEqual([404, 200])
})
// endregion

test('what the document does not have is told', async () => {
  // region warnings
  const { warnings } = sandbox.force({ operation: 'createLabel', status: 418 })
  // endregion

  expect(warnings).toEqual(['The document has no response 418 for createLabel.'])
})
