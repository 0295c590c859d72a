import { expect, it } from 'vitest'
import { runCommand } from '../testing/command.ts'

/** Breaks what `explain` needs to print its table. */
const BREAK = `data:text/javascript,String.prototype.padEnd = () => { throw new TypeError('broken') }`

it.each([
  ['one line', {}, 1],
  ['the stack with DEBUG=pet-sandbox', { DEBUG: 'other,pet-sandbox' }, 3],
])('a bug ends a command with exit code 2 and %s', async (_name, env, least) => {
  const { code, stderr } = await runCommand(['explain'], {
    env,
    program: [process.execPath, '--import', BREAK, 'bin/pet-sandbox.js'],
  })

  const [line, ...stack] = stderr.trimEnd().split('\n')
  expect(code).toBe(2)
  expect(line).toBe(
    'pet-sandbox: This is a bug in pet-sandbox: TypeError: broken. Set DEBUG=pet-sandbox to see the stack, and please report the bug.',
  )
  expect(stack.length).toBeGreaterThanOrEqual(least - 1)
  if (least === 1) expect(stack).toEqual([])
})
