// `npm run test:clients`: generates a client for openapi.yaml with each generator, compiles it and runs it once.
import { deepStrictEqual } from 'node:assert/strict'
import { createServer } from 'node:http'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import express from 'express'
import { toExpress } from '../../../dist/express.js'
import { createSandbox } from '../../../dist/index.js'
import { compile, FOLDER, generate, installGenerators } from './generators.mjs'

const KEY = 'sk_sandbox_free'
const CLIENTS = ['openapi-typescript', 'orval', 'hey-api']

/** The expected results of each client: the service sets the status, and the error is typed. */
const CREATED = { id: 51, name: 'Rex', categoryId: 3, status: 'available' }
const EXPECTED = { listed: 2, created: CREATED, read: CREATED, refused: 'invalid_request' }

const sandbox = createSandbox()
const server = createServer(express().use(toExpress(sandbox)))
await new Promise((listening) => server.listen(0, '127.0.0.1', listening))
try {
  const baseUrl = `http://127.0.0.1:${server.address().port}${sandbox.contract.basePath}`
  await installGenerators()
  await generate(resolve('openapi.yaml'), baseUrl)
  await compile()
  for (const client of CLIENTS) await check(client, baseUrl)
} finally {
  server.close()
  server.closeAllConnections()
}

/** Runs a client against the sandbox in its first state. */
async function check(client, baseUrl) {
  const outfile = join(FOLDER, 'bundled', `${client}.mjs`)
  const entry = join(FOLDER, 'uses', `${client}.ts`)
  await build({ entryPoints: [entry], bundle: true, format: 'esm', platform: 'node', outfile })
  const { use } = await import(pathToFileURL(outfile).href)
  sandbox.reset()

  deepStrictEqual(await use(baseUrl, KEY), EXPECTED, client)
  console.log(`${client}: generated, compiled and run`)
}
