// Checks in the browser that an entry is in the log that a checkpoint signs: RFC 6962 hashes by WebCrypto, the
// signature by Ed25519 where the browser knows it. Asks nobody; reads what stands in the form.
"use strict";

const field = (name) => document.getElementById(`proof-${name}`);
const utf8 = (text) => new TextEncoder().encode(text);
const join = (...parts) => new Uint8Array(parts.flatMap((part) => [...part]));
const equal = (one, other) => one.length === other.length && one.every((byte, place) => byte === other[place]);
const sha256 = async (bytes) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));

// The page writes what cannot be seen as \u{…}, which JSON has no use for; a backslash before a backslash is its own.
function exact(text) {
  const written = /\\(?:u\{([0-9a-f]{1,6})\}|[^])/g;
  return text.replace(written, (whole, code) => (code === undefined ? whole : String.fromCodePoint(parseInt(code, 16))));
}

function fromBase64(text, length) {
  let bytes;
  try {
    bytes = Uint8Array.from(atob(text.trim()), (character) => character.charCodeAt(0));
  } catch {
    throw new Error(`“${text.trim().slice(0, 20)}…” is not base64`);
  }
  if (length !== undefined && bytes.length !== length) throw new Error(`a hash has ${bytes.length} bytes, not ${length}`);
  return bytes;
}

function toBase64(bytes) {
  return btoa(String.fromCharCode(...bytes));
}

// RFC 9162, section 2.1.3.2.
async function climb(leaf, index, size, hashes) {
  let here = index;
  let last = size - 1n;
  let value = leaf;
  for (const beside of hashes) {
    if (last === 0n) throw new Error("there are more hashes than steps to the root");
    if ((here & 1n) === 1n || here === last) {
      value = await sha256(join([1], beside, value));
      while (here !== 0n && (here & 1n) === 0n) {
        here >>= 1n;
        last >>= 1n;
      }
    } else {
      value = await sha256(join([1], value, beside));
    }
    here >>= 1n;
    last >>= 1n;
  }
  if (last !== 0n) throw new Error("there are fewer hashes than steps to the root");
  return value;
}

function readCheckpoint(note) {
  const end = note.lastIndexOf("\n\n");
  const lines = note.slice(0, end).split("\n");
  if (end < 0 || lines.length < 3 || !/^[0-9]{1,18}$/.test(lines[1])) throw new Error("the checkpoint cannot be read");
  return {
    origin: lines[0],
    size: BigInt(lines[1]),
    root: fromBase64(lines[2], 32),
    signed: note.slice(0, end + 1),
    signatures: note.slice(end + 2).trim().split("\n"),
  };
}

// Resolves to true, or to false where the browser does not know Ed25519.
async function checkSignature(checkpoint, text) {
  const [, name, encoded] = /^(.+)\+[0-9a-f]{8}\+([A-Za-z0-9+/=]+)$/.exec(text.trim()) ?? [];
  if (name === undefined) throw new Error("the key of the log cannot be read");
  const bytes = fromBase64(encoded, 33);
  const identifier = (await sha256(join(utf8(`${name}\n`), bytes))).slice(0, 4);
  for (const line of checkpoint.signatures) {
    const [, by, signature] = /^— (.+) ([A-Za-z0-9+/=]+)$/.exec(line) ?? [];
    if (by !== name) continue;
    const data = fromBase64(signature);
    if (!equal(data.slice(0, 4), identifier)) continue;
    let key;
    try {
      key = await crypto.subtle.importKey("raw", bytes.slice(1), { name: "Ed25519" }, false, ["verify"]);
    } catch {
      return false;
    }
    if (await crypto.subtle.verify({ name: "Ed25519" }, key, data.slice(4), utf8(checkpoint.signed))) return true;
    throw new Error("the signature of the checkpoint does not fit");
  }
  throw new Error("the checkpoint is not signed by this key");
}

function tell(words) {
  const step = document.createElement("li");
  step.textContent = words;
  field("steps").append(step);
}

function conclude(words, kind) {
  field("verdict").textContent = words;
  field("verdict").className = `verdict notice ${kind}`;
}

async function check() {
  const leaf = await sha256(join([0], utf8(exact(field("entry").value))));
  tell(`The entry hashes to ${toBase64(leaf)}`);
  const checkpoint = readCheckpoint(field("checkpoint").value.replaceAll("\r\n", "\n"));
  const place = field("index").value.trim();
  if (!/^[0-9]{1,18}$/.test(place) || BigInt(place) >= checkpoint.size) throw new Error("the log has no such place");
  const hashes = field("hashes").value.split("\n").filter((line) => line.trim()).map((line) => fromBase64(line, 32));
  const root = await climb(leaf, BigInt(place), checkpoint.size, hashes);
  tell(`With ${hashes.length} hashes beside it, it leads to ${toBase64(root)}`);
  if (!equal(root, checkpoint.root)) throw new Error("the checkpoint has another root");
  tell(`The checkpoint of ${checkpoint.size} entries has that root`);
  const isSigned = await checkSignature(checkpoint, field("key").value);
  tell(isSigned ? "The key of the log has signed the checkpoint" : "This browser cannot check Ed25519 signatures");
  return isSigned;
}

document.getElementById("proof").addEventListener("submit", async (event) => {
  event.preventDefault();
  field("steps").replaceChildren();
  conclude("", "");
  try {
    const isSigned = await check();
    if (isSigned) conclude("The proof holds: this entry is in the log.", "good");
    else conclude("The hashes hold; the signature was not checked.", "");
  } catch (error) {
    conclude(`The proof does not hold: ${error.message}.`, "bad");
  }
});

if (globalThis.crypto?.subtle === undefined) {
  conclude("Browsers compute hashes only on pages from https or from this machine.", "");
} else {
  field("go").disabled = false;
}
