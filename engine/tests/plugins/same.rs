//! A decoder in a library behaves exactly like the same decoder linked in.

use spytui_plugin_api::render::Want;
use spytui_plugin_host::kit::{Host, Random, Sample, conform};
use spytui_testing_decoder::stream::{Writer, mixed};

use super::common::{decoder, first, library, texts};

#[test]
fn decodes_identically_to_the_decoder_linked_in() {
    let (inside, loaded) = (first(spytui_testing_decoder::plugin()), first(library("plugin")));
    for seed in 0..4 {
        let bytes = Random::new(seed).damage(&mixed(seed, 800), 20 * seed as usize);
        let run = |decoder, size| Host::open(decoder, &[]).unwrap().stream(&bytes, size).unwrap();
        let (a, b) = (run(inside, 4096), run(loaded, 613));
        assert!(a.run == b.run, "rows, names, activities, answers or counts differ for seed {seed}");
        let all = |host: &Host| {
            let mut all = Vec::new();
            let want = Want::TEXT | Want::FIELDS | Want::PAYLOAD;
            host.render(&bytes, want, |_, out| {
                let row = out.row(0);
                all.push((
                    row.kind_word.map(<[u8]>::to_vec),
                    row.text.to_vec(),
                    row.fields.to_vec(),
                    row.payload.to_vec(),
                    row.blob.to_vec(),
                ));
            })
            .unwrap();
            all
        };
        assert!(all(&a) == all(&b), "text or fields differ for seed {seed}");
    }
}

#[test]
fn exports_are_the_same_bytes() {
    let (inside, loaded) = (decoder(spytui_testing_decoder::plugin()), decoder(library("plugin")));
    let bytes = Random::new(3).damage(&mixed(11, 1000), 20);
    let (a, b) = (texts(&inside, &bytes), texts(&loaded, &bytes));
    assert_eq!(a, b);
    assert!(a.0.lines().count() > 1000 && a.1.contains("\"kind\":\"gap\""));
    assert!(a.3.adds_up(), "{:?}", a.3);
}

#[test]
fn neighbours_of_a_list_are_one_array() {
    let mut writer = Writer::new(1);
    writer.frame(1, "B 2 0102").frame(1, "P 03").frame(1, "E 04").frame(1, "E 05");
    let jsonl = texts(&decoder(spytui_testing_decoder::plugin()), &writer.bytes).1;
    let parts: Vec<&str> = jsonl.lines().filter_map(|line| line.split("\"parts\":").nth(1)).collect();
    assert!(parts[0].starts_with("[15,11,11]"), "{jsonl}");
}

#[test]
fn a_library_follows_the_contract_like_any_decoder() {
    let bytes = mixed(5, 300);
    conform(first(library("plugin")), &[Sample { name: "library", opts: Vec::new(), bytes: &bytes }]);
}

#[test]
fn what_a_library_says_about_itself_is_the_same() {
    let (inside, loaded) = (spytui_testing_decoder::plugin(), library("plugin"));
    let about = |library| format!("{:?}", first(library).info().unwrap());
    assert_eq!(about(inside), about(loaded));
}

#[test]
fn two_libraries_work_side_by_side() {
    let (toy, bytes) = (library("plugin"), library("plugin-two"));
    assert_eq!(first(toy).info().unwrap().id, "toy");
    assert_eq!(first(bytes).info().unwrap().id, "bytes");
    let stream = mixed(3, 100);
    let mut hosts = [first(toy), first(bytes)].map(|d| Host::open(d, &[]).unwrap());
    for chunk in stream.chunks(100) {
        hosts.iter_mut().for_each(|host| host.feed(chunk, &[]).unwrap());
    }
    assert_eq!(hosts[1].run.rows.len(), stream.len());
    assert!(hosts[0].run.rows.len() > 90 && hosts[0].run.rows.len() < stream.len());
}
