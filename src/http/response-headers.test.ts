import { describe, expect, it } from 'vitest'
import { contract } from '../generated/contract.ts'
import { createSandbox } from '../sandbox/sandbox.ts'
import { CrossOrigin } from './response-headers.ts'

describe('the headers that pages of other origins may read', () => {
  it('are those of the sandbox and those that the document declares, each once', async () => {
    const responseHeaders = ['X-Total-Count', 'ETag', 'x-ratelimit-limit', 'Link']
    const sandbox = createSandbox({ contract: { ...contract, responseHeaders } })

    const { headers } = await sandbox.fetch(new Request('http://localhost/v1/pets'))

    const exposed = headers.get('Access-Control-Expose-Headers')?.split(', ')
    expect(exposed?.slice(-2)).toEqual(['X-Total-Count', 'ETag'])
    expect(exposed?.filter((name) => /^(x-ratelimit-limit|link)$/i.test(name))).toHaveLength(2)
  })
})

describe('the origin that may read an answer', () => {
  it.each(['http://localhost:5173', 'null', 'http://a.test, http://b.test'])(
    'is the one that asks, %s',
    (origin) => {
      expect(new CrossOrigin({}).headers(origin)).toMatchObject({
        'Access-Control-Allow-Origin': origin,
        'Access-Control-Allow-Credentials': 'true',
        Vary: 'Origin',
      })
    },
  )

  it.each([undefined, ''])('is any, without credentials, when the request has %j', (origin) => {
    const headers = new CrossOrigin({}).headers(origin)

    expect(headers).toMatchObject({ 'Access-Control-Allow-Origin': '*', Vary: 'Origin' })
    expect(headers).not.toHaveProperty('Access-Control-Allow-Credentials')
  })

  it('is the one that asks outside the base path, too', async () => {
    const request = new Request('http://localhost/v2', { headers: { Origin: 'http://a.test' } })

    const { status, headers } = await createSandbox().fetch(request)

    expect(status).toBe(404)
    expect(headers.get('Access-Control-Allow-Origin')).toBe('http://a.test')
    expect(headers.get('Vary')).toBe('Origin')
  })
})
