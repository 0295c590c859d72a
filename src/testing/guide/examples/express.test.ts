import { once } from 'node:events'
// region app
import express from 'express'
import { createSandbox } from 'pet-sandbox'
import { toExpress } from 'pet-sandbox/express'

const app = express()
// Before the body parsers of the app.
app.use(toExpress(createSandbox()))
app.use(express.json())

// endregion
import { expect, test } from 'vitest'

test('the app serves the API', async () => {
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined

  const response = await fetch(`http://127.0.0.1:${port}/v1/pets?limit=1`, {
    headers: { Authorization: 'Bearer sk_sandbox_free' },
  })
  server.close()

  expect(response.status).toBe(200)
})
