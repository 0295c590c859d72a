import { afterEach, describe, expect, test } from 'vitest'
import { runCommand, stopCommands } from '../../testing/command.ts'
import { hidePackage } from '../../testing/module-hooks.ts'

const ADDRESS = 'redis://:hunter2@127.0.0.1:6399'

afterEach(stopCommands)

describe('a mistake in the settings of a shared store ends the command with one line and exit code 2:', () => {
  test.each([
    [
      ['--store', ADDRESS, '--state', 'state.json'],
      'Cannot use --state with --store: the store keeps the state. Leave out --state. To copy the state, use "pet-sandbox ctl snapshot" and "pet-sandbox ctl restore".',
    ],
    [
      ['--store', ADDRESS, '--watch'],
      'Cannot use --watch with --store: all servers of a store have the same document. Leave out --watch. Start servers with a changed document and another --store-prefix.',
    ],
    [
      ['--world-by', 'key'],
      'Cannot use --world-by: it needs a shared store. Give its address with --store.',
    ],
    [
      ['--store', ADDRESS, '--world-ttl', '1h'],
      'Cannot use --world-ttl: only the worlds of keys are dropped. Add --world-by key.',
    ],
    [
      ['--store', ADDRESS, '--world-by', 'key', '--world-ttl', '1ms'],
      'Cannot use --world-ttl: it must be a duration of at least one second (got 1ms). Write it as 30m or 1h.',
    ],
    [
      ['--store-prefix', 'demo'],
      'Cannot use --store-prefix: it needs a shared store. Give its address with --store.',
    ],
  ])('%j', async (args, message) => {
    const result = await runCommand(args)

    expect(result).toEqual({ code: 2, stdout: '', stderr: `pet-sandbox: ${message}\n` })
  })

  test.each([
    'http://:hunter2@127.0.0.1',
    'redis://:hunter2@',
    ':hunter2@127.0.0.1:6379',
    'redis://:hunter2@127.0.0.1:99999',
    'redis://:hunter2@127.0.0.1/0 x',
  ])('the address %s, whose password is in no message', async (address) => {
    const { code, stdout, stderr } = await runCommand([], { env: { PET_SANDBOX_STORE: address } })

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^pet-sandbox: Cannot use the address of the store: .*\n$/)
    expect(stderr).not.toContain('hunter2')
  })

  test('a store where nothing listens', async () => {
    const { code, stdout, stderr } = await runCommand(['--store', ADDRESS])

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toBe(
      'pet-sandbox: Cannot use the store at 127.0.0.1:6399: nothing listens at its address. Check the address, and that the store is running.\n',
    )
  })

  test('a client library that is not installed', async () => {
    const env = { NODE_OPTIONS: hidePackage('ioredis') }

    const { code, stderr } = await runCommand(['--store', ADDRESS], { env })

    expect(code).toBe(2)
    expect(stderr).toMatch(/^pet-sandbox: Cannot .*ioredis.*npm install ioredis.*\n$/)
  })

  test('exec, whose sandbox is in memory', async () => {
    const env = { PET_SANDBOX_STORE: ADDRESS }

    const { code, stderr } = await runCommand(['exec', '--', 'true'], { env })

    expect(code).toBe(2)
    expect(stderr).toBe(
      'pet-sandbox: Cannot use a store with "exec": the sandbox of a command ends with it. Leave out the setting store, and unset PET_SANDBOX_STORE.\n',
    )
  })
})
