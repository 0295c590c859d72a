import { expect, it } from 'vitest'
import { spawnArguments } from './spawn-command.ts'

it('a command is unchanged where programs start without a shell', () => {
  expect(spawnArguments(['npm', 'run', 'a b', '$HOME'], 'linux', {})).toEqual({
    file: 'npm',
    args: ['run', 'a b', '$HOME'],
    isVerbatim: false,
  })
})

it('on Windows, cmd.exe gets the command with its special characters escaped', () => {
  const { file, args, isVerbatim } = spawnArguments(
    ['npm', 'run', 'a b', 'x&y|"z"%PATH%\\'],
    'win32',
    {
      ComSpec: 'C:\\Windows\\cmd.exe',
    },
  )

  expect({ file, isVerbatim }).toEqual({ file: 'C:\\Windows\\cmd.exe', isVerbatim: true })
  expect(args).toEqual(['/d', '/s', '/c', '"npm ^"run^" ^"a^ b^" ^"x^&y^|\\^"z\\^"^%PATH^%\\\\^""'])
})
