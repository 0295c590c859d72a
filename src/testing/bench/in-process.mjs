// Prints as JSON the calls per second without a server: of the core, of `sandbox.fetch`, and of MSW in Node.js with the sandbox and
// with a handler that returns a constant.

import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { createSandbox } from '../../../dist/index.js'
import { toHandlers } from '../../../dist/msw.js'

const plans = { enterprise: { minute: 1e9, day: 1e9 } }
const authorization = 'Bearer sk_sandbox_enterprise'
const sandbox = createSandbox({ plans })
const page = await sandbox.collection('pets').list({ limit: 20 })
const headers = { authorization }

/** Functions that request the list of 20 once. */
const ways = {
  core: core(),
  'sandbox.fetch': async () => {
    const response = await sandbox.fetch(new Request('http://localhost/v1/pets', { headers }))
    await response.text()
  },
  'MSW, the sandbox': over('http://sandbox.test/v1/pets'),
  'MSW, a constant': over('http://constant.test/v1/pets'),
}

setupServer(
  ...toHandlers(sandbox, { baseUrl: 'http://sandbox.test/v1' }),
  http.get('http://constant.test/v1/pets', () => HttpResponse.json(page)),
).listen()

const [rounds, seconds] = process.argv.slice(2).map(Number)
const rates = Object.fromEntries(Object.keys(ways).map((name) => [name, []]))
for (const once of Object.values(ways)) await rateOf(once)
for (let round = 0; round < rounds; round += 1) {
  for (const [name, once] of Object.entries(ways)) rates[name].push(await rateOf(once))
}
console.log(JSON.stringify(rates))
process.exit()

function core() {
  const request = {
    method: 'GET',
    base: 'http://localhost/v1',
    path: '/pets',
    query: '',
    header: (name) => (name === 'authorization' ? authorization : undefined),
    headers: () => Object.entries(headers),
    body: async () => new Uint8Array(),
  }
  return () => sandbox.answer(request)
}

function over(url) {
  return async () => {
    const response = await fetch(url, { headers })
    await response.text()
  }
}

/** Calls per second. */
async function rateOf(once) {
  const began = performance.now()
  let calls = 0
  while (performance.now() - began < seconds * 1000) {
    for (let call = 0; call < 100; call += 1) await once()
    calls += 100
  }
  return (calls * 1000) / (performance.now() - began)
}
