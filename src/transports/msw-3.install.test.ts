import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { handlers } from '../msw.ts'
import { replacePackage } from '../testing/module-hooks.ts'
import { installMsw3 } from '../testing/msw-3.ts'

const run = promisify(execFile)

/** A program that uses the handlers with MSW 3, which needs Node 22. */
const WITH_MSW_3 = `
  import { setupServer } from 'msw/node'
  import { HttpResponse, http } from 'msw'
  import { handlers, sandbox, strict } from 'pet-sandbox/msw'

  const printed = []
  console.error = (text) => printed.push(text)
  const server = setupServer(...handlers)
  server.listen(strict)
  const headers = { Authorization: 'Bearer sk_sandbox_free' }
  const send = (path, init) => fetch('https://petstore.test' + path, { headers, ...init })
  const statusOf = (path, init) => send(path, init).then(({ status }) => status, () => 'refused')

  const results = {
    headers: handlers.map(({ info }) => info.header),
    list: (await (await send('/v1/pets')).json()).length,
    invalid: await statusOf('/v1/pets/%zz'),
    wrongMethod: await statusOf('/v1/pets', { method: 'DELETE' }),
    unknown: await statusOf('/v1/horses'),
    exchanges: sandbox.journal.exchanges.length,
  }
  server.use(http.get('*/v1/pets', () => new HttpResponse(null, { status: 418 })))
  console.log(JSON.stringify({ ...results, overridden: await statusOf('/v1/pets'), printed: printed.find((text) => String(text).startsWith('pet-sandbox')) }))
  server.close()
`

describe('under MSW 3', () => {
  it('the handlers respond as under MSW 2, and a strict server refuses unhandled requests', async () => {
    const args = ['-y', 'node@24', '--input-type=module', '-e', WITH_MSW_3]

    const { stdout } = await run('npx', args, {
      env: { ...process.env, NODE_OPTIONS: replacePackage('msw', await installMsw3()) },
    })

    expect(JSON.parse(stdout)).toEqual({
      headers: handlers.map(({ info }) => info.header),
      list: 20,
      invalid: 404,
      wrongMethod: 405,
      unknown: 'refused',
      exchanges: 3,
      overridden: 418,
      printed:
        'pet-sandbox does not answer GET https://petstore.test/v1/horses. Its handlers answer */v1/*. ' +
        'The operations are: GET /pets, POST /pets, GET /pets/{petId}.',
    })
  })
})
