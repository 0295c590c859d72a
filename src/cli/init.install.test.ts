import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { runCommand } from '../testing/command.ts'
import { createProject } from '../testing/npm-project.ts'

const run = promisify(execFile)

const PETS_TEST = `
import { sandbox } from 'pet-sandbox/msw'
import { expect, test } from 'vitest'

const headers = { Authorization: 'Bearer sk_sandbox_free' }

test('the sandbox answers', async () => {
  await sandbox.collection('pets').remove(1)
  const response = await fetch('https://api.example.com/v1/pets/1', { headers })
  expect(response.status).toBe(404)
})

test('every test starts with a new state', async () => {
  const response = await fetch('https://api.example.com/v1/pets/1', { headers })
  expect(response.status).toBe(200)
})

test('an unhandled request is an error', async () => {
  await expect(fetch('https://api.example.com/v1/horses')).rejects.toThrow()
})
`

const PARCELS_TEST = `
import { expect, test } from 'vitest'

test('the sandbox of the document answers', async () => {
  const headers = { 'X-Api-Key': 'my-key' }
  const response = await fetch('https://api.example.com/v2/parcels', { headers })

  expect(response.status).toBe(200)
})
`

describe('a file that init writes', () => {
  test.each([['js'], ['ts']])('runs in Vitest, as .%s', async (ending) => {
    const cwd = await createProject({
      files: {
        'pets.test.js': PETS_TEST,
        'vitest.config.js': `export default { test: { setupFiles: ['./sandbox.setup.${ending}'] } }`,
        ...(ending === 'ts' && { 'tsconfig.json': '{}' }),
      },
      installed: ['msw', 'vitest', 'pet-sandbox'],
    })
    await runCommand(['init'], { cwd })

    const { stdout } = await run(
      process.execPath,
      [resolve('node_modules/vitest/vitest.mjs'), 'run', '--reporter=json'],
      { cwd },
    )

    expect(JSON.parse(stdout)).toMatchObject({ numPassedTests: 3, numFailedTests: 0 })
  })

  test.each([['js'], ['ts']])('runs in Vitest with a document, as .%s', async (ending) => {
    const cwd = await createProject({
      files: {
        "it's.yaml": await readFile('src/testing/guide/examples/parcels.yaml', 'utf8'),
        'parcels.test.js': PARCELS_TEST,
        'vitest.config.js': `export default { test: { setupFiles: ['./sandbox.setup.${ending}'] } }`,
        ...(ending === 'ts' && { 'tsconfig.json': '{}' }),
      },
      installed: ['msw', 'vitest', 'pet-sandbox'],
    })
    await runCommand(['init', "it's.yaml"], { cwd })

    const { stdout } = await run(
      process.execPath,
      [resolve('node_modules/vitest/vitest.mjs'), 'run', '--reporter=json'],
      { cwd },
    )

    expect(JSON.parse(stdout)).toMatchObject({ numPassedTests: 1, numFailedTests: 0 })
  })
})
