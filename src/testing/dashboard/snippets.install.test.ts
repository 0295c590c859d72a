import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll } from 'vitest'
import { describeSnippets, writePrograms } from './snippet-requests.ts'

const execute = promisify(execFile)
let packages = ''

/** Whether a language is installed. Without it, its programs are left out; with `CI` set, they fail. */
async function has(...[command, ...args]: readonly [string, ...string[]]): Promise<boolean> {
  const isInstalled = await execute(command, args).then(
    () => true,
    () => false,
  )
  const isRequired = Boolean(process.env.CI)
  if (!isInstalled && !isRequired) console.warn(`*** TESTS SKIPPED: there is no ${command}. ***`)
  return isInstalled || isRequired
}

const [hasPython, hasGo] = await Promise.all([has('python3', '--version'), has('go', 'version')])

beforeAll(async () => {
  packages = await mkdtemp(join(tmpdir(), 'pet-sandbox-python-'))
  const isInstalled = await execute('python3', ['-c', 'import requests']).then(
    () => true,
    () => false,
  )
  if (isInstalled || !hasPython) return
  await execute('python3', ['-m', 'pip', 'install', '--quiet', '--target', packages, 'requests'])
})
afterAll(() => rm(packages, { recursive: true }))

if (hasPython) {
  describeSnippets({
    language: 'Python',
    run: async (texts, folder) => {
      const files = await writePrograms(texts, folder, '.py')
      const all = `import runpy\nfor file in ${JSON.stringify(files)}: runpy.run_path(file)`
      const env = { ...process.env, PYTHONPATH: packages, NO_PROXY: '*' }
      await execute('python3', ['-c', all], { cwd: folder, env })
    },
  })
}

if (hasGo) {
  describeSnippets({
    language: 'Go',
    run: async (texts, folder) => {
      const files = await writePrograms(texts, folder, '.go')
      await writeFile(join(folder, 'go.mod'), 'module snippets\n')
      await mkdir(join(folder, 'bin'))
      await execute('go', ['build', '-o', 'bin/', './...'], { cwd: folder })
      for (const file of files)
        await execute(join(folder, 'bin', basename(dirname(file))), { cwd: folder })
    },
  })
}
