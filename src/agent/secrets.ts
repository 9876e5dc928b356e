// Which values must not be seen by a model, on a screen or in a file: keys that were loaded, and what the environment holds
// under names that say secret.
import { createRedactor, MIN_SECRET_LENGTH } from "../lib/text/redact.ts";
import type { Redactor, Secret } from "../lib/text/redact.ts";

/** Shorter values that are a plain word or a number hide too much of what is none. Characters. */
const MIN_PLAIN_LENGTH = 16;
/** Keys that one agent learns of while it lives. */
const MAX_LEARNED = 100;

/** What comes after any of these in a name is a secret. */
const SECRET_WORD =
  /(^|[_-])(API_?KEY|(ACCESS|PRIVATE|SECRET|SIGNING|ENCRYPTION|MASTER|DEPLOY|LICENSE)_?KEY|[A-Z]*TOKEN|[A-Z]*SECRET|PASSWORD|PASSWD|PASSPHRASE|PASS|PWD|PAT)(?=[_-]|\d*$)/i;
/** Or a secret, or the path of a file that holds one. */
const AMBIGUOUS_WORD = /(^|[_-])(KEY|CREDENTIALS?|AUTH|COOKIE)(?=[_-]|\d*$)/i;
/** A name that ends so says something about a secret. */
const ABOUT =
  /[_-](FILE|PATH|DIR|SOCK|SOCKET|URL|URI|HOST|PORT|NAME|TYPE|TTL|LIMIT|COUNT|LENGTH|SIZE|EXPIR\w*|ALGORITHM|COMMAND|CMD|ENABLED|REGION)$/i;
const SHELL_NAMES: ReadonlySet<string> = new Set(["PWD", "OLDPWD"]);
const PATH = /^(~|\.{0,2})\//;

type Environment = Readonly<Record<string, string | undefined>>;

/** The secrets among the variables of an environment, told by name. */
export function secretsIn(env: Environment): Secret[] {
  return Object.entries(env).flatMap(([name, value = ""]) =>
    isSecretName(name, value) && hasSubstance(value) ? [{ name, value }] : [],
  );
}

function isSecretName(name: string, value: string): boolean {
  if (SHELL_NAMES.has(name) || ABOUT.test(name)) return false;
  return SECRET_WORD.test(name) || (AMBIGUOUS_WORD.test(name) && !PATH.test(value));
}

function hasSubstance(value: string): boolean {
  if (value.length < MIN_SECRET_LENGTH) return false;
  return value.length >= MIN_PLAIN_LENGTH || !/^(\d+|\p{L}+)$/u.test(value);
}

/** Secrets that may become more while an agent lives. */
export class SecretStore {
  readonly #secrets: Secret[];
  readonly #values: Set<string>;
  #learned = 0;
  #redactor: Redactor | undefined;

  constructor(secrets: readonly Secret[]) {
    this.#secrets = [...secrets];
    this.#values = new Set(secrets.map(({ value }) => value));
  }

  /** Knows a key from now on, and hands it on; of keys that change all the time, the first 100. */
  learn(name: string, value: string | undefined): string | undefined {
    if (value === undefined || this.#values.has(value) || this.#learned >= MAX_LEARNED)
      return value;
    this.#learned++;
    this.#values.add(value);
    // A loaded key counts before what only has a name.
    this.#secrets.unshift({ name, value });
    this.#redactor = undefined;
    return value;
  }

  /** For the secrets known now. */
  redactor(): Redactor {
    this.#redactor ??= createRedactor(this.#secrets);
    return this.#redactor;
  }
}
