import { expect, it } from 'vitest'
import { spawnArguments } from './spawn-arguments.ts'

it('a command is what it is where programs are started without a shell', () => {
  expect(spawnArguments(['npm', 'run', 'a b', '$HOME'], 'linux', {})).toEqual({
    file: 'npm',
    args: ['run', 'a b', '$HOME'],
    isVerbatim: false,
  })
})

it('on Windows its shell gets the command, in which nothing means anything to it', () => {
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
