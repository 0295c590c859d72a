import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { useTemporaryDirectory } from '../../testing/temporary-directory.ts'
import { UsageError } from '../../validation/usage-error.ts'
import { findAddress, withOrigin } from './find-address.ts'

const folder = useTemporaryDirectory()

afterEach(async () => {
  vi.unstubAllEnvs()
})

async function config(text: string): Promise<string> {
  const file = join(folder(), 'settings.yaml')
  await writeFile(file, text)
  return file
}

describe('the address of a sandbox, when it is not given,', () => {
  test('comes from the configuration file, even if other settings are invalid', async () => {
    const file = await config('port: 4777\nhost: 0.0.0.0\nworlds: nonsense\n')

    expect(await findAddress(file)).toEqual({
      url: 'http://127.0.0.1:4777',
      origin: `host (${file}:2:1) and port (${file}:1:1)`,
    })
  })

  test('comes from the environment before the file, and from PET_SANDBOX_URL first', async () => {
    const file = await config('port: 4777\n')
    vi.stubEnv('PET_SANDBOX_PORT', '4778')
    vi.stubEnv('PET_SANDBOX_HOST', '::')
    const found = await findAddress(file)
    vi.stubEnv('PET_SANDBOX_URL', 'http://127.0.0.1:4779')

    expect(found).toEqual({
      url: 'http://[::1]:4778',
      origin: 'PET_SANDBOX_HOST and PET_SANDBOX_PORT',
    })
    expect(await findAddress(file)).toEqual({
      url: 'http://127.0.0.1:4779',
      origin: 'PET_SANDBOX_URL',
    })
  })

  test('is the default when nothing sets it', async () => {
    expect(await findAddress(await config(''))).toEqual({
      url: 'http://127.0.0.1:4010',
      origin: 'the default',
    })
  })

  test('is unknown when the port is 0', async () => {
    const file = await config('port: 0\n')

    await expect(findAddress(file)).rejects.toThrow(
      `Cannot find the sandbox: port (${file}:1:1) lets it listen on any free port. Give its address.`,
    )
  })
})

test('an error says where the address comes from, unless it was given', () => {
  const reason = 'no server listens there'
  const error = new UsageError({ code: 'unreachable', task: 'reach it', reason })
  const refused = new UsageError({ code: 'not_found', task: 'find it', reason })
  const found = { url: 'http://127.0.0.1:4778', origin: 'PET_SANDBOX_PORT' }

  expect(withOrigin(error, found)).toMatchObject({
    code: 'unreachable',
    message:
      'Cannot reach it: no server listens there. The address http://127.0.0.1:4778 comes from PET_SANDBOX_PORT.',
  })
  expect(withOrigin(error, { url: found.url })).toBe(error)
  expect(withOrigin(refused, found)).toBe(refused)
})
