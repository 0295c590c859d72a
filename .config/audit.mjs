// `npm run audit`: the known vulnerabilities of what an install for production brings. It fails where there are any, and where
// the registry does not answer. Mirrors mostly take no audits: that is told, and no reason to fail.
import { spawnSync } from 'node:child_process'

/** Not found, method not allowed, not implemented. */
const TAKES_NONE = [404, 405, 501]

const npm = spawnSync('npm', ['audit', '--omit=dev', '--json', ...process.argv.slice(2)], {
  encoding: 'utf8',
  // npm is a script there.
  shell: process.platform === 'win32',
})
const { metadata, vulnerabilities, statusCode, error, message } = npm.stdout
  ? JSON.parse(npm.stdout)
  : { error: { summary: npm.error?.message ?? npm.stderr } }

if (metadata) {
  for (const { name, severity, via } of Object.values(vulnerabilities)) {
    const why = via.map((cause) =>
      cause.title ? `${cause.title} (${cause.range}, ${cause.url})` : `by ${cause}`,
    )
    console.error(`${name}, ${severity}: ${why.join('; ')}`)
  }
  const { total } = metadata.vulnerabilities
  console.log(`${total} vulnerable of ${metadata.dependencies.prod} packages.`)
  process.exitCode = total === 0 ? 0 : 1
} else {
  console.error(`Not audited: ${message ?? error?.summary}`)
  console.error('Another registry is asked by: npm run audit -- --registry <address>')
  process.exitCode = TAKES_NONE.includes(statusCode) ? 0 : 1
}
