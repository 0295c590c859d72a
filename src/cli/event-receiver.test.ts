import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parseJsonText } from '../contract/json.ts'
import { runCommand } from '../testing/command.ts'
import { serveHttp, stopServers } from '../testing/servers.ts'
import { useTemporaryDirectory } from '../testing/temporary-directory.ts'
import { isObject } from '../validation/objects.ts'
import type { EventReceiver } from '../verify/session/event-addresses.ts'
import { listenForEvents } from './event-receiver.ts'

afterEach(stopServers)

const json = (schema: object): object => ({ content: { 'application/json': { schema } } })
const JOB = {
  type: 'object',
  required: ['id', 'file'],
  properties: { id: { type: 'integer', readOnly: true }, file: { type: 'string' } },
}
/** A service that does a job, and calls back when it is done. */
const DOCUMENT = {
  openapi: '3.0.3',
  info: { title: 'Jobs', version: '1' },
  paths: {
    '/jobs': {
      post: {
        operationId: 'startJob',
        requestBody: {
          required: true,
          ...json({
            type: 'object',
            required: ['file', 'notify'],
            properties: { file: { type: 'string' }, notify: { type: 'string', format: 'uri' } },
          }),
        },
        callbacks: {
          done: {
            '{$request.body#/notify}': {
              post: {
                requestBody: json({
                  type: 'object',
                  required: ['job', 'seconds'],
                  properties: { job: { type: 'integer' }, seconds: { type: 'number', minimum: 0 } },
                }),
                responses: { 200: { description: 'Thanks.' } },
              },
            },
          },
        },
        responses: { 202: { description: 'It starts.', ...json(JOB) } },
      },
    },
    '/jobs/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
      get: {
        operationId: 'getJob',
        responses: { 200: { description: 'A job.', ...json(JOB) }, 404: { description: 'None.' } },
      },
    },
  },
}

const folder = useTemporaryDirectory()

/** Verifies a service that takes some time for each job, and then sends this body. */
async function verifyJobs(done: (job: number) => object): Promise<string> {
  const file = join(folder(), 'jobs.json')
  await writeFile(file, JSON.stringify(DOCUMENT))
  const jobs: object[] = []
  const { origin } = await serveHttp(async (request, response) => {
    const answer = (status: number, body: object): void => {
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
    }
    if (request.method === 'GET') {
      const job = jobs[Number(request.url?.split('/').at(-1)) - 1]
      return answer(job ? 200 : 404, job ?? { error: 'unknown' })
    }
    const body = parseJsonText(await text(request))
    const { file: name, notify } = isObject(body) ? body : {}
    if (typeof name !== 'string' || typeof notify !== 'string')
      return answer(400, { error: 'invalid' })
    const id = jobs.push({ id: jobs.length + 1, file: name })
    answer(202, { id, file: name })
    if (!notify.startsWith('http://127.0.0.1')) return
    setTimeout(() => {
      const headers = { 'Content-Type': 'application/json' }
      void fetch(notify, { method: 'POST', headers, body: JSON.stringify(done(id)) })
    }, 100)
  })
  const { stdout } = await runCommand(['verify', origin, file, '--allow-writes', '--verbose'])
  return stdout
}

describe('verify', () => {
  test('passes for a service that calls back some time after the request', async () => {
    const output = await verifyJobs((job) => ({ job, seconds: 0.1 }))

    expect(output).toContain('✓ startJob sends the callback done as it is described')
    expect(output).toContain('✓ startJob sends only callbacks that the document describes')
    expect(output).toMatch(/\nnone failed, /)
  })

  test('fails for a callback whose body breaks its schema, and shows the body', async () => {
    const output = await verifyJobs((job) => ({ job, seconds: 'soon' }))

    expect(output).toContain(
      [
        '✗ startJob sends the callback done as it is described',
        '  OpenAPI, POST /jobs, callbacks, done [startJob/callbacks/done]',
        '  expected  body.seconds must be number',
        '  received  POST {"job":1,"seconds":"soon"}',
      ].join('\n'),
    )
    expect(output).toMatch(/\n1 failed, /)
  })
})

describe('the receiver of a run', () => {
  let receiver: EventReceiver

  beforeEach(async () => {
    receiver = await listenForEvents('127.0.0.1')
  })
  afterEach(() => receiver.close())

  const post = (url: string, body: string): Promise<Response> =>
    fetch(url, { method: 'POST', body, headers: { 'X-Event': 'paid' } })

  test('keeps what arrives below its address, and answers with a 204', async () => {
    const { status } = await post(`${receiver.url}/3/paid?at=1`, '{"id":7}')

    expect(status).toBe(204)
    expect(receiver.received).toMatchObject([
      { method: 'POST', target: '/3/paid?at=1', text: '{"id":7}', isCut: false },
    ])
    expect(receiver.received[0]?.headers.get('x-event')).toBe('paid')
  })

  test('keeps nothing that arrives elsewhere', async () => {
    const { status } = await post(`${new URL(receiver.url).origin}/hooks`, '{}')

    expect(status).toBe(404)
    expect(receiver.received).toEqual([])
  })

  test('keeps no more than a MiB of a body, and no more than a thousand events', async () => {
    await post(`${receiver.url}/1`, 'a'.repeat(3 * 1024 * 1024)).catch(() => undefined)
    for (let sent = 0; sent < 1010; sent += 1) await post(`${receiver.url}/1`, '{}')
    const [first] = receiver.received

    expect(first?.isCut).toBe(true)
    expect(first?.text.length).toBeLessThanOrEqual(1024 * 1024)
    expect(receiver.received).toHaveLength(1000)
  })

  test('is not quiet while events arrive, and does not wait for what never ends', async () => {
    const start = Date.now()
    const timer = setInterval(() => void post(`${receiver.url}/1`, '{}').catch(() => null), 100)
    await receiver.quiet()
    clearInterval(timer)

    expect(Date.now() - start).toBeGreaterThanOrEqual(2900)
  })

  test('does not wait after an interruption', async () => {
    const start = Date.now()
    await receiver.quiet(AbortSignal.abort())

    expect(Date.now() - start).toBeLessThan(250)
  })
})
