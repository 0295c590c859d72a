import { describe, expect, it } from 'vitest'
import { loadDocumentOf } from '../testing/load-document-of.ts'
import type { SandboxOptions } from './options.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'

const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Orders', version: '1' },
  paths: {
    '/orders': {
      post: {
        operationId: 'sendOrder',
        parameters: [
          { name: 'X-Request-Id', in: 'header', required: true, schema: { type: 'string' } },
        ],
        requestBody: {
          required: true,
          content: {
            'application/x-www-form-urlencoded': {
              schema: {
                type: 'object',
                required: ['count'],
                properties: { count: { type: 'integer' } },
              },
            },
          },
        },
        responses: { 204: { description: 'Sent.' } },
      },
    },
  },
}

async function open(options: SandboxOptions = {}): Promise<Sandbox> {
  return createSandbox({ contract: await loadDocumentOf({}, DOCUMENT), ...options })
}

async function send(
  sandbox: Sandbox,
  body: string,
  headers: Readonly<Record<string, string>> = { 'X-Request-Id': '1' },
): Promise<Response> {
  const type = { 'Content-Type': 'application/x-www-form-urlencoded' }
  const request = { method: 'POST', body, headers: { ...type, ...headers } }
  return await sandbox.fetch(new Request('http://localhost/orders', request))
}

function notesOf(sandbox: Sandbox): readonly unknown[] {
  return sandbox.journal.exchanges.at(-1)?.notes ?? []
}

describe('a request that its operation does not allow', () => {
  it('is refused by default, and names all that is wrong with the parameters', async () => {
    const sandbox = await open()

    const response = await send(sandbox, 'count=1', {})

    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ message: 'header.X-Request-Id is required' })
    expect((await send(sandbox, 'count=x')).status).toBe(400)
    expect((await send(sandbox, 'count=1')).status).toBe(204)
  })

  it('is served with validation: warn, and the journal and the report say what was wrong', async () => {
    const sandbox = await open({ validation: 'warn' })

    const response = await send(sandbox, 'count=x', {})

    expect(response.status).toBe(204)
    expect(notesOf(sandbox)).toEqual([
      { kind: 'invalid-input', place: 'header.X-Request-Id' },
      { kind: 'invalid-input', place: 'body.count' },
    ])
    expect((await sandbox.report()).findings).toMatchObject([
      { rule: 'invalid-input', severity: 'warning', operation: 'sendOrder' },
    ])
  })

  it('is served without notes with validation: off', async () => {
    const sandbox = await open({ validation: 'off' })

    expect((await send(sandbox, 'count=x', {})).status).toBe(204)
    expect(notesOf(sandbox)).toEqual([])
  })

  it('is served when it prefers lenient handling, and the response says so', async () => {
    const sandbox = await open()

    const response = await send(sandbox, 'count=x', { Prefer: 'handling=lenient' })

    expect(response.status).toBe(204)
    expect(response.headers.get('Preference-Applied')).toBe('handling=lenient')
    expect(notesOf(sandbox)).toHaveLength(2)
  })

  it('is refused when it prefers strict handling', async () => {
    const sandbox = await open({ validation: 'off' })

    const response = await send(sandbox, 'count=x', { Prefer: 'handling=strict' })

    expect(response.status).toBe(400)
    expect(response.headers.get('Preference-Applied')).toBe('handling=strict')
  })
})

describe('the limit of a body', () => {
  it('is what the option says, also without validation', async () => {
    const sandbox = await open({ bodyLimit: 10, validation: 'off' })

    expect((await send(sandbox, 'count=1234')).status).toBe(204)
    expect((await send(sandbox, 'count=12345')).status).toBe(413)
  })

  it('is 10 MiB by default', async () => {
    const sandbox = await open()
    const filler = 'x'.repeat(10 * 1024 * 1024 - 'count=1&a='.length)

    expect((await send(sandbox, `count=1&a=${filler}`)).status).toBe(204)
    expect((await send(sandbox, `count=1&a=${filler}x`)).status).toBe(413)
  })

  it.each([
    [{ bodyLimit: 0 }, /bodyLimit/],
    [{ validation: 'warning' }, /validation "warning"/],
  ])('and the validation must be valid options (%j)', (options, message) => {
    expect(() => createSandbox(options as SandboxOptions)).toThrow(message)
  })
})
